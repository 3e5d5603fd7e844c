#include "simulation/run/summer_time.hpp"

#include <array>
#include <chrono>

namespace steadfast::simulation {

namespace {

using namespace std::chrono_literals;

/// What the laws of the zones say, and not what the program under test reads from the system.
struct clock_change {
  const char* zone;
  workflow::instant at;
  bool is_forward;
  const char* hour; ///< that the clocks skip, or show twice
};

workflow::instant utc(unsigned month, unsigned day, unsigned hour) {
  return std::chrono::sys_days{std::chrono::year{2026} / std::chrono::month{month} / std::chrono::day{day}}
         + std::chrono::hours{hour};
}

std::array<clock_change, 4> clock_changes() {
  return {{{"Europe/Lisbon", utc(3, 29, 1), true, "1"},
           {"Europe/Lisbon", utc(10, 25, 1), false, "1"},
           {"America/New_York", utc(3, 8, 7), true, "2"},
           {"America/New_York", utc(11, 1, 6), false, "1"}}};
}

struct minutes_of_hour {
  const char* field; ///< of cron
  std::set<int> which;
};

std::array<minutes_of_hour, 4> drawn_minutes() {
  return {{{"0", {0}}, {"1", {1}}, {"59", {59}}, {"*/2", {}}}}; // the last: every other one
}

bool has(const minutes_of_hour& m, int minute) {
  return m.which.empty() ? minute % 2 == 0 : m.which.contains(minute);
}

} // namespace

std::optional<summer_time> draw_summer_time(chance& luck) {
  if (!luck.happens(60))
    return std::nullopt;
  const auto changes = clock_changes();
  const auto& change = changes.at(luck.below(changes.size()));
  const auto all_minutes = drawn_minutes();
  const auto& minutes = all_minutes.at(luck.below(all_minutes.size()));
  const auto before = luck.between(80s, 5min);
  summer_time drawn{change.zone, change.at - before, std::string{minutes.field} + " " + change.hour + " * * *", {}};
  if (change.is_forward)
    drawn.moments = {change.at};
  else
    for (int minute = 0; minute < 60; ++minute)
      if (has(minutes, minute))
        drawn.moments.insert(change.at - 1h + std::chrono::minutes{minute});
  return drawn;
}

} // namespace steadfast::simulation
