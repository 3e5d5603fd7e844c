#include "workflow/time/time_text.hpp"

namespace steadfast::workflow {

std::string utc_text(instant t) {
  const auto day = std::chrono::floor<std::chrono::days>(t);
  const std::chrono::year_month_day date{day};
  const std::chrono::hh_mm_ss of_day{t - day};
  const auto year = static_cast<int>(date.year());
  std::string text{"0000-00-00T00:00:00.000Z"};
  const auto put = [&text](std::size_t last, auto value) {
    for (auto rest = static_cast<unsigned>(value); rest != 0; rest /= 10)
      text[last--] = static_cast<char>('0' + rest % 10);
  };
  put(6, static_cast<unsigned>(date.month()));
  put(9, static_cast<unsigned>(date.day()));
  put(12, of_day.hours().count());
  put(15, of_day.minutes().count());
  put(18, of_day.seconds().count());
  put(22, of_day.subseconds().count());
  if (year >= 0 && year <= 9999)
    put(3, year);
  else
    text.replace(0, 4, std::to_string(year));
  return text;
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

std::optional<instant> parse_utc_text(std::string_view text) {
  const auto t = parse_moment(text);
  return t && utc_text(*t) == text ? t : std::nullopt;
}

std::string utc_seconds_text(instant t) {
  const auto seconds = std::chrono::ceil<std::chrono::seconds>(t);
  return utc_text(seconds).replace(19, std::string::npos, "Z");
}

} // namespace steadfast::workflow
