#include "workflow/time/time_text.hpp"

#include <cstdio>

namespace steadfast::workflow {
namespace {

std::string clock_text(std::chrono::seconds of_day) {
  const auto s = static_cast<int>(of_day.count());
  char text[16];
  const int size = std::snprintf(text, sizeof text, "%02d:%02d:%02d", s / 3600, s / 60 % 60, s % 60);
  return {text, static_cast<std::size_t>(size)};
}

} // namespace

std::string utc_text(instant t) {
  const auto day = std::chrono::floor<std::chrono::days>(t);
  const std::chrono::year_month_day date{day};
  const auto of_day = t - day;
  const auto seconds = std::chrono::floor<std::chrono::seconds>(of_day);
  char text[32];
  const int size = std::snprintf(text, sizeof text, "%04d-%02u-%02uT", static_cast<int>(date.year()),
                                 static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()));
  std::string result{text, static_cast<std::size_t>(size)};
  result += clock_text(seconds);
  const int rest = std::snprintf(text, sizeof text, ".%03dZ", static_cast<int>((of_day - seconds).count()));
  return result.append(text, static_cast<std::size_t>(rest));
}

std::optional<instant> parse_utc_text(std::string_view text) {
  int year = 0;
  unsigned month = 0;
  unsigned day = 0;
  int hour = 0;
  int minute = 0;
  int second = 0;
  int millis = 0;
  if (std::sscanf(std::string{text}.c_str(), "%4d-%2u-%2uT%2d:%2d:%2d.%3dZ", &year, &month, &day, &hour, &minute,
                  &second, &millis)
      != 7)
    return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year{year}, std::chrono::month{month}, std::chrono::day{day}};
  if (!date.ok())
    return std::nullopt;
  const auto t = instant{std::chrono::sys_days{date}.time_since_epoch()} + std::chrono::hours{hour}
                 + std::chrono::minutes{minute} + std::chrono::seconds{second} + span{millis};
  return utc_text(t) == text ? std::optional{t} : std::nullopt;
}

namespace {

/// Reads from the front of a text.
struct moment_reader {
  std::string_view rest;
  bool is_well = true;

  bool take(char c) {
    const bool is = rest.starts_with(c);
    rest.remove_prefix(is ? 1 : 0);
    return is;
  }
  void expect(bool is) { is_well = is_well && is; }
  int digits(std::size_t count) {
    int n = 0;
    for (; count > 0; --count) {
      const bool is = !rest.empty() && rest[0] >= '0' && rest[0] <= '9';
      expect(is);
      n = is ? n * 10 + (rest[0] - '0') : n;
      rest.remove_prefix(is ? 1 : 0);
    }
    return n;
  }
  /// Milliseconds of ".5" or ".123456789".
  int fraction() {
    int n = digits(1) * 100;
    for (int worth = 10; !rest.empty() && rest[0] >= '0' && rest[0] <= '9'; worth /= 10)
      n += digits(1) * worth;
    return n;
  }
};

} // namespace

std::optional<instant> parse_moment(std::string_view text) {
  using namespace std::chrono;
  moment_reader in{text};
  const auto y = in.digits(4);
  in.expect(in.take('-'));
  const auto m = in.digits(2);
  in.expect(in.take('-'));
  const year_month_day date{year{y}, month{static_cast<unsigned>(m)}, day{static_cast<unsigned>(in.digits(2))}};
  in.expect(in.take('T') || in.take('t') || in.take(' '));
  const auto hour = in.digits(2);
  in.expect(in.take(':'));
  const auto minute = in.digits(2);
  const bool has_seconds = in.take(':');
  const auto second = has_seconds ? in.digits(2) : 0;
  const auto millis = has_seconds && in.take('.') ? in.fraction() : 0;
  const bool is_utc = in.take('Z') || in.take('z');
  const bool is_east = !is_utc && in.take('+');
  in.expect(is_utc || is_east || in.take('-'));
  const auto offset_hours = is_utc ? 0 : in.digits(2);
  if (!is_utc)
    in.take(':');
  const auto offset = hours{offset_hours} + minutes{is_utc ? 0 : in.digits(2)};
  const bool is_time = hour < 24 && minute < 60 && second < 60 && offset < hours{24};
  if (!in.is_well || !in.rest.empty() || !date.ok() || !is_time)
    return std::nullopt;
  const auto local =
    instant{sys_days{date}.time_since_epoch()} + hours{hour} + minutes{minute} + seconds{second} + span{millis};
  return is_east ? local - offset : local + offset;
}

std::string utc_seconds_text(instant t) {
  const auto seconds = std::chrono::ceil<std::chrono::seconds>(t);
  return utc_text(seconds).replace(19, std::string::npos, "Z");
}

} // namespace steadfast::workflow
