#include "workflow/time/zone.hpp"

#include <date/tz.h>

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <string>

namespace steadfast::workflow {

namespace {

// libstdc++ has the calendar of C++20 from GCC 11 on, and its time zones from GCC 14 on.

/// Null: the system has no such zone, or no zones at all.
const date::time_zone* find_zone(std::string_view name) {
  try {
    return date::locate_zone(std::string{name});
  } catch (const std::runtime_error&) {
    return nullptr;
  }
}

bool counts(weekdays on, date::local_days day) {
  const auto iso = date::weekday{day}.iso_encoding(); // Monday is 1
  switch (on) {
    case weekdays::all: return true;
    case weekdays::workdays: return iso <= 5;
    default: return static_cast<unsigned>(on) - static_cast<unsigned>(weekdays::monday) + 1 == iso;
  }
}

instant first_moment_of(const date::time_zone& zone, date::local_time<span> local) {
  const auto info = zone.get_info(local);
  if (info.result == date::local_info::nonexistent)
    return std::chrono::time_point_cast<span>(info.first.end);
  return std::chrono::time_point_cast<span>(zone.to_sys(local, date::choose::earliest));
}

} // namespace

bool is_time_zone(std::string_view name) {
  return find_zone(name) != nullptr;
}

std::optional<zone_stretch> stretch_at(std::string_view zone, instant t) {
  const auto* const there = find_zone(zone);
  if (there == nullptr)
    return std::nullopt;
  const auto in = there->get_info(date::floor<std::chrono::seconds>(t));
  const auto first = date::sys_seconds{};
  const auto last = date::floor<std::chrono::seconds>(instant_max);
  const auto before = in.begin > first ? there->get_info(in.begin - std::chrono::seconds{1}).offset : in.offset;
  return zone_stretch{std::max(in.begin, first), std::min(in.end, last), in.offset, before};
}

std::optional<instant> next_time_of_day(std::string_view zone, span time_of_day, weekdays on, instant now) {
  const auto* const there = find_zone(zone);
  if (there == nullptr || now >= instant_max - std::chrono::days{14})
    return std::nullopt;
  auto day = date::floor<date::days>(there->to_local(now)) - date::days{1}; // a change may lie between
  for (;; day += date::days{1}) {
    if (!counts(on, day))
      continue;
    if (const auto at = first_moment_of(*there, day + time_of_day); at > now)
      return at;
  }
}

} // namespace steadfast::workflow
