// Runs that cross a change of summer time.

#include "simulation/run/summer_time.hpp"

#include "workflow/schedule/cron.hpp"
#include "workflow/time/zone.hpp"

#include <catch2/catch.hpp>

#include <set>

using namespace std::chrono_literals;
using namespace steadfast;

TEST_CASE("a run that is drawn to cross a change of summer time begins shortly before one of the zone") {
  std::set<std::pair<std::string, std::string>> drawn;
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    simulation::chance luck{seed};
    const auto s = simulation::draw_summer_time(luck);
    if (!s)
      continue;
    drawn.emplace(s->zone, s->cron);
    const auto change = workflow::stretch_at(s->zone, s->begins_at).value().end;
    INFO(seed);
    CHECK(change - s->begins_at >= 80s);
    CHECK(change - s->begins_at <= 5min);
    std::set<workflow::instant> moments;
    const auto rule = workflow::read_cron(s->cron).rule.value();
    for (auto m = workflow::next_moment(rule, s->zone, change - 3h); m && *m < change + 12h;
         m = workflow::next_moment(rule, s->zone, *m))
      moments.insert(*m);
    CHECK(s->moments == moments);
  }
  CHECK(drawn.size() == 12); // by zone, hour and minutes: New York has two hours
}
