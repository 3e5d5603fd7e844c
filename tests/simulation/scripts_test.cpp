// What once broke a promise, as recorded by `steadfast-sim --record`: it is played in several orders.

#include "simulation/program/effect_check.hpp"
#include "simulation/program/random_runs.hpp"
#include "simulation/program/scripts.hpp"
#include "tests/support/temp_folder.hpp"

#include <catch2/catch.hpp>

using namespace steadfast;
using simulation::checked_run;
using simulation::random_run;
using tests::fast_place;

TEST_CASE("what is recorded of a run is played again, whatever its seed draws") {
  const tests::temp_folder folder{fast_place()};
  auto o = random_run(3, folder.path() / "run");
  simulation::script recorded;
  o.record = &recorded;
  const auto before = checked_run(o);
  CHECK(before.violations == std::vector<std::string>{});
  REQUIRE(!recorded.happenings.empty());
  REQUIRE(!recorded.calls.empty());

  const auto read = simulation::parse_script(text_of(recorded));
  CHECK(text_of(read) == text_of(recorded));

  simulation::script again;
  o = random_run(4, folder.path() / "run");
  simulation::play(o, read);
  o.record = &again;
  CHECK(checked_run(o).violations == std::vector<std::string>{});
  const auto submitted = [](const simulation::script& s) {
    std::map<std::string, workflow::span> all;
    for (const auto& h : s.happenings)
      if (h.what == simulation::script::happening::kind::submit && h.at < s.faults_for)
        all[h.who] = h.at;
    return all;
  };
  CHECK(submitted(again) == submitted(recorded));
}

TEST_CASE("scripts that have shown a bug show none any more") {
  const tests::temp_folder folder{fast_place()};
  for (const auto& file : std::filesystem::directory_iterator{STEADFAST_SOURCE_DIR "/tests/simulation/scripts"}) {
    const auto s = simulation::script_in(file.path());
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      INFO("steadfast-sim --replay " << file.path().string() << " --runs 1 --trace --seed " << seed);
      auto o = random_run(seed, folder.path() / "run");
      simulation::play(o, s);
      CHECK(checked_run(o).violations == std::vector<std::string>{});
    }
  }
}
