// A target is measured against what the machine did meanwhile.

#include "apps/bench/targets.hpp"
#include "tests/support/temp_folder.hpp"

#include <catch2/catch.hpp>

using namespace steadfast::bench;
using nlohmann::json;

namespace {

const auto tasks_per_second = [](const json& m) { return m.at("tasks").get<double>(); };

/// A machine that computes and syncs so many times as fast as this one does now.
yardstick times(const yardstick& y, double factor) {
  return {y.copying * factor, y.hashing * factor, y.waking * factor, y.syncing * factor};
}

yardstick here() {
  const steadfast::tests::temp_folder folder;
  return measure_yardstick(folder.path());
}

} // namespace

TEST_CASE("a machine that is half as fast has to do half as much") {
  const auto full = here();
  const auto wanted = 1000 * speed_of(full, 0.2);
  const target t{"tasks", "tasks/s", 1000, true, tasks_per_second, 0.2};
  CHECK(result_of(t, {{json{{"tasks", wanted * 1.01}}, full}}).is_met());
  CHECK_FALSE(result_of(t, {{json{{"tasks", wanted * 0.99}}, full}}).is_met());
  CHECK(result_of(t, {{json{{"tasks", wanted * 0.51}}, times(full, 0.5)}}).is_met());
  CHECK_FALSE(result_of(t, {{json{{"tasks", wanted * 0.49}}, times(full, 0.5)}}).is_met());
}

TEST_CASE("what says nothing of the machine's speed is taken as it is") {
  const target t{"ratio", "times", 0.8, true, tasks_per_second};
  const auto half = times(here(), 0.5);
  CHECK(result_of(t, {{json{{"tasks", 0.81}}, half}}).is_met());
  CHECK_FALSE(result_of(t, {{json{{"tasks", 0.79}}, half}}).is_met());
  CHECK(result_of(t, {{json{{"tasks", 0.81}}, half}}).counted_text().empty());
}

TEST_CASE("the median run counts, each by what the machine did beside it") {
  const auto full = here();
  const auto unit = speed_of(full, 0);
  const target t{"time", "ms", 10, false, tasks_per_second, 0.0};
  const auto r = result_of(t, {{json{{"tasks", 9 / unit}}, full},
                               {json{{"tasks", 16 / unit}}, times(full, 0.5)}, // 8 there
                               {json{{"tasks", 30 / unit}}, full}});
  CHECK(r.counted() == Approx(9));
  CHECK(r.is_met());
}

TEST_CASE("targets are chosen by what is measured, and by what the table says") {
  const auto chosen = [](std::string only) {
    choice c;
    c.only = std::move(only);
    return target_groups(c).size();
  };
  CHECK(chosen("") > 30);
  CHECK(chosen("steps over 1,000 items") == 1);
  CHECK(chosen("one event for 20,000 tasks") == 1);
  CHECK(chosen("written to disk") == 1); // of several that one run answers
  CHECK(chosen("nonsense") == 0);
}
