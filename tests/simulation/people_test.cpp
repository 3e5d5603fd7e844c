// What people do in a simulated cluster must make sense, or their acts are refused and try nothing.

#include "simulation/program/random_runs.hpp"
#include "tests/support/temp_folder.hpp"
#include "tests/support/workflow/definitions.hpp"

#include <catch2/catch.hpp>

using namespace steadfast;
using namespace std::chrono_literals;

namespace {

/// Its tasks wait for long, so people find them at a time at which they can edit their payload.
workflow::definition parent_of(const workflow::definition& child) {
  workflow::step_definition start;
  start.name = "start";
  start.wait.emplace();
  start.wait->what = workflow::wait_rule::kind::child;
  start.wait->name = child.name;
  auto d = tests::pipeline({tests::sleep_named("rest", 2min), start});
  d.name = "parent";
  return d;
}

std::vector<std::string> causes_of(const simulation::run_result& r) {
  std::vector<std::string> all;
  for (const auto& [cause, figures] : r.undo_for)
    all.push_back(cause.second);
  return all;
}

} // namespace

TEST_CASE("people edit payloads so that the tasks of their steps can begin") {
  auto asked = tests::step_named("asked");
  asked.input = {{"value", {workflow::source::kind::payload, {}, "/value", {}}, false}};
  auto child = tests::pipeline({asked});
  child.name = "child";
  const tests::temp_folder folder{tests::fast_place()};
  for (const std::uint64_t seed : {37U, 47U, 71U}) { // in which somebody does so before the child begins
    INFO("seed " << seed);
    auto o = simulation::random_run(seed, folder.path() / "run");
    o.workflows = {parent_of(child), child};
    const auto r = simulation::run(o);
    CHECK(r.violations == std::vector<std::string>{});
    for (const auto& cause : causes_of(r)) {
      INFO(cause);
      CHECK(cause.find("could not be started") == std::string::npos);
    }
  }
}
