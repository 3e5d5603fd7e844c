#include "workflow/time_text.hpp"

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

std::string utc_clock_text(instant t) {
  const auto seconds = std::chrono::ceil<std::chrono::seconds>(t);
  return clock_text(seconds - std::chrono::floor<std::chrono::days>(seconds));
}

} // namespace steadfast::workflow
