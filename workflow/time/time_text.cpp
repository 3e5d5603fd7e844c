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

std::string utc_seconds_text(instant t) {
  const auto seconds = std::chrono::ceil<std::chrono::seconds>(t);
  return utc_text(seconds).replace(19, std::string::npos, "Z");
}

} // namespace steadfast::workflow
