#include "runtime/text/time_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <ctime>

#include <regex>

namespace steadfast {
namespace {

using workflow::instant;
using workflow::span;

std::int64_t milliseconds_of(instant t) {
  return t.time_since_epoch().count();
}

/// Reads digits of a fixed place; false when there is something else.
bool read_number(std::string_view text, std::size_t at, std::size_t digits, int& into) {
  if (text.size() < at + digits)
    return false;
  const auto* first = text.data() + at;
  const auto [rest, error] = std::from_chars(first, first + digits, into);
  return error == std::errc{} && rest == first + digits && *first != '-';
}

struct parts {
  int year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0;
};

std::optional<parts> read_parts(std::string_view text) {
  parts p;
  const bool all = read_number(text, 0, 4, p.year) && read_number(text, 5, 2, p.month) && read_number(text, 8, 2, p.day)
                   && read_number(text, 11, 2, p.hour) && read_number(text, 14, 2, p.minute)
                   && read_number(text, 17, 2, p.second);
  const bool marks = all && text[4] == '-' && text[7] == '-' && (text[10] == 'T' || text[10] == 't' || text[10] == ' ')
                     && text[13] == ':' && text[16] == ':';
  if (!marks || p.hour > 23 || p.minute > 59 || p.second > 60)
    return std::nullopt;
  return p;
}

/// ".179" at the front of `text`, which is cut off.
int take_fraction(std::string_view& text) {
  int ms = 0;
  if (!text.starts_with('.'))
    return ms;
  std::size_t n = 1;
  for (int weight = 100; n < text.size() && text[n] >= '0' && text[n] <= '9'; ++n, weight /= 10)
    ms += (text[n] - '0') * weight;
  text.remove_prefix(n);
  return ms;
}

/// "Z" or "+01:00", all of `text`; minutes east of UTC.
std::optional<int> read_offset(std::string_view text) {
  if (text == "Z" || text == "z")
    return 0;
  int hours = 0;
  int minutes = 0;
  if (text.size() != 6 || (text[0] != '+' && text[0] != '-') || text[3] != ':' || !read_number(text, 1, 2, hours)
      || !read_number(text, 4, 2, minutes) || hours > 23 || minutes > 59)
    return std::nullopt;
  return (text[0] == '-' ? -1 : 1) * (hours * 60 + minutes);
}

} // namespace

std::string localized(std::string_view sentence, instant now) {
  static const std::regex moment{R"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z)"};
  const std::string text{sentence};
  const auto today = local_text(now).substr(0, 10);
  std::string out;
  auto rest = text.cbegin();
  for (std::sregex_iterator i{text.begin(), text.end(), moment}; i != std::sregex_iterator{}; ++i) {
    const auto& found = (*i)[0];
    out.append(rest, found.first);
    rest = found.second;
    const auto t = parse_utc(found.str());
    const auto told = t ? local_text(*t) : found.str();
    out += told.starts_with(today) ? told.substr(11) : told;
  }
  return out.append(rest, text.cend());
}

std::optional<instant> parse_utc(std::string_view text) {
  using namespace std::chrono;
  const auto p = read_parts(text);
  if (!p)
    return std::nullopt;
  auto rest = text.substr(19);
  const int ms = take_fraction(rest);
  const auto offset = read_offset(rest);
  const year_month_day date{year{p->year}, month{static_cast<unsigned>(p->month)}, day{static_cast<unsigned>(p->day)}};
  if (!offset || !date.ok())
    return std::nullopt;
  const instant t{sys_days{date}.time_since_epoch() + hours{p->hour} + minutes{p->minute - *offset} + seconds{p->second}
                  + milliseconds{ms}};
  // An offset or a leap second may lead to a year that does not have four digits.
  return t >= sys_days{year{0} / 1 / 1} && t <= workflow::instant_max ? std::optional{t} : std::nullopt;
}

std::string local_text(instant t, bool ms) {
  const auto whole = std::chrono::floor<std::chrono::seconds>(t);
  const auto seconds = static_cast<std::time_t>(whole.time_since_epoch().count());
  std::tm tm{};
  localtime_r(&seconds, &tm);
  auto text = fmt::format("{:04}-{:02}-{:02} {:02}:{:02}:{:02}", tm.tm_year + 1900, tm.tm_mon + 1, tm.tm_mday,
                          tm.tm_hour, tm.tm_min, tm.tm_sec);
  return ms ? text + fmt::format(".{:03}", (t - whole).count()) : text;
}

namespace {

/// "2026-11-22", cut off with the blank or T behind it.
bool take_date(std::string_view& text, std::tm& into) {
  int year = 0;
  int month = 0;
  int day = 0;
  if (!read_number(text, 0, 4, year) || !read_number(text, 5, 2, month) || !read_number(text, 8, 2, day)
      || text[4] != '-' || text[7] != '-'
      || (text.size() > 10 && text[10] != ' ' && text[10] != 'T' && text[10] != 't'))
    return false;
  into.tm_year = year - 1900;
  into.tm_mon = month - 1;
  into.tm_mday = day;
  text.remove_prefix(std::min<std::size_t>(text.size(), 11));
  return true;
}

/// "08:47", "08:47:48" or "08:47:48.179", cut off.
bool take_time(std::string_view& text, std::tm& into, int& ms) {
  if (!read_number(text, 0, 2, into.tm_hour) || text.size() < 5 || text[2] != ':'
      || !read_number(text, 3, 2, into.tm_min) || into.tm_hour > 23 || into.tm_min > 59)
    return false;
  text.remove_prefix(5);
  into.tm_sec = 0;
  if (!text.starts_with(':'))
    return true;
  if (!read_number(text, 1, 2, into.tm_sec) || into.tm_sec > 60)
    return false;
  text.remove_prefix(3);
  ms = take_fraction(text);
  return true;
}

/// A day or an hour that does not exist is another one: the 31st of April is the 1st of May.
instant moment_of(std::tm tm, bool is_utc, int ms) {
  tm.tm_isdst = -1;
  const auto seconds = is_utc ? timegm(&tm) : mktime(&tm);
  return instant{std::chrono::seconds{seconds} + std::chrono::milliseconds{ms}};
}

bool is_day(const std::tm& tm) {
  using namespace std::chrono;
  return year_month_day{year{tm.tm_year + 1900}, month{static_cast<unsigned>(tm.tm_mon + 1)},
                        day{static_cast<unsigned>(tm.tm_mday)}}
    .ok();
}

} // namespace

std::optional<instant> parse_printed(std::string_view text, instant now, bool past) {
  if (const auto exact = parse_utc(text))
    return exact;
  text = text.substr(0, text.find(" ("));
  const bool is_utc = text.ends_with('Z') || text.ends_with('z');
  if (is_utc)
    text.remove_suffix(1);
  const auto today = static_cast<std::time_t>(std::chrono::floor<std::chrono::seconds>(now).time_since_epoch().count());
  std::tm tm{};
  is_utc ? gmtime_r(&today, &tm) : localtime_r(&today, &tm);
  const bool has_date = take_date(text, tm);
  int ms = 0;
  if (has_date && text.empty())
    tm.tm_hour = tm.tm_min = tm.tm_sec = 0;
  else if (!take_time(text, tm, ms) || !text.empty())
    return std::nullopt;
  if (!is_day(tm))
    return std::nullopt;
  const auto t = moment_of(tm, is_utc, ms);
  if (has_date || (past ? t <= now : t >= now))
    return t;
  tm.tm_mday += past ? -1 : 1;
  return moment_of(tm, is_utc, ms);
}

std::string rough_text(span s) {
  const auto ms = s.count();
  const auto two = [](std::int64_t value, std::int64_t per, const char* big, const char* small) {
    auto text = fmt::format("{} {}", value / per, big);
    return value % per == 0 ? text : text + fmt::format(" {} {}", value % per, small);
  };
  if (ms < 1000)
    return fmt::format("{} ms", ms);
  if (ms < 10'000)
    return fmt::format("{:.1f} s", std::floor(static_cast<double>(ms) / 100) / 10);
  const auto seconds = ms / 1000;
  if (seconds < 60)
    return fmt::format("{} s", seconds);
  if (seconds < 3600)
    return two(seconds, 60, "min", "s");
  if (seconds < 86'400)
    return two(seconds / 60, 60, "h", "min");
  return two(seconds / 3600, 24, "d", "h");
}

std::string relative_text(instant t, instant now) {
  if (milliseconds_of(t) > milliseconds_of(now))
    return "in " + rough_text(t - now);
  return rough_text(now - t) + " ago";
}

} // namespace steadfast
