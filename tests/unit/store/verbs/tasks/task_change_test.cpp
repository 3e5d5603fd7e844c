// What is stored when a task takes its next state, without a disk.

#include "tests/unit/store/support.hpp"

#include "store/verbs/tasks/task_change.hpp"
#include "workflow/transition/transition.hpp"

#include <catch2/catch.hpp>

#include <memory>

using namespace std::chrono_literals;
using namespace steadfast;
using namespace steadfast::store;
using namespace steadfast::store::test;

namespace {

workflow::definition two_steps() {
  workflow::definition d;
  d.name = "order";
  for (const auto* const name : {"pack", "send"}) {
    d.steps.emplace_back();
    d.steps.back().name = d.steps.back().agent = name;
  }
  d.index = {"/customer"};
  return d;
}

workflow::task task_with(const std::string& payload, const workflow::definition& d) {
  auto t = workflow::make_task({"a", d.name, 1, workflow::blob{payload}, {}, {}, {}, "shop"}, d, at(1));
  t.number = 7;
  t.revision = 4;
  return t;
}

task_outline seen(const workflow::task& t, const workflow::definition& d, std::vector<large_result> large = {}) {
  return outline_of(t, t.revision, t.payload.size(), std::move(large), {},
                    std::make_shared<const workflow::definition>(d));
}

const std::vector<workflow::notice> no_notices;
const std::vector<workflow::alert> no_alerts;

task_change changed(const task_outline& there, const workflow::task& next, const also_read& known = {}) {
  task_change c;
  change_of(there, known, {next, no_notices, no_alerts}, c);
  return c;
}

workflow::blob large(char filled_with) {
  return workflow::blob{std::string(result_inline_max + 1, filled_with)};
}

} // namespace

TEST_CASE("a change: the outline follows, under the next revision") {
  const auto d = two_steps();
  const auto t = task_with("{}", d);
  auto there = seen(t, d);
  const auto taken = workflow::apply(t, d, workflow::taken{"s1"}, at(2));
  const auto c = changed(there, taken.next);
  CHECK(c.revision == 5);
  CHECK(c.from.is_claimable);
  CHECK(c.to.locked_by == "s1");
  CHECK(c.has_observer);
  CHECK_FALSE(c.ending);
  CHECK_FALSE(c.payload_changed);
  CHECK(c.results.empty());

  follow(there, taken.next, c);
  const auto anew = seen(taken.next, d);
  CHECK(there.revision == 5);
  CHECK(there.state == taken.next.state);
  CHECK(there.lock_epoch == anew.lock_epoch);
  CHECK(there.placed() == anew.placed());
  CHECK(there.payload_size == 2);
}

TEST_CASE("a change: a large result is put once, and leaves when another takes its place") {
  const auto d = two_steps();
  auto next = task_with("{}", d);
  auto there = seen(next, d);
  next.steps.change(0).result = workflow::blob{"small"};
  next.steps.change(1).result = large('a');
  const auto first = changed(there, next);
  REQUIRE(first.results.size() == 1);
  CHECK(first.results[0].is.step == 1);
  CHECK(first.results[0].is.size == result_inline_max + 1);
  CHECK_FALSE(first.results[0].was_there);
  follow(there, next, first);
  CHECK(there.large == std::vector{first.results[0].is});
  CHECK(changed(there, next).results.empty());

  next.steps.change(1).result = {}; // it was not read
  CHECK(changed(there, next).results.empty());
  next.steps.change(1).result = large('b');
  const auto other = changed(there, next);
  REQUIRE(other.results.size() == 1);
  CHECK(other.results[0].was_there);
  CHECK(other.results[0].is_large);
  next.steps.change(1).result = workflow::blob{"small"};
  const auto small = changed(there, next);
  REQUIRE(small.results.size() == 1);
  CHECK_FALSE(small.results[0].is_large);
  follow(there, next, small);
  CHECK(there.large.empty());
}

TEST_CASE("a change: another payload is found by its own values, and no more by those it had") {
  const auto d = two_steps();
  const auto t = task_with(R"({"customer": "ann"})", d);
  auto there = seen(t, d);
  auto next = t;
  next.payload = workflow::blob{R"({"customer": 77})"};
  const next_state with{next, no_notices, no_alerts, true};
  CHECK(needs_payload(there, with));
  CHECK_FALSE(needs_payload(there, {next, no_notices, no_alerts, false}));
  task_change c;
  change_of(there, {t.payload, {}}, with, c);
  CHECK(c.payload_changed);
  CHECK(c.index_before == std::vector<workflow::payload_value>{{"/customer", "ann"}});
  CHECK(c.index_after == std::vector<workflow::payload_value>{{"/customer", "77"}});
  follow(there, next, c);
  CHECK(there.payload_size == next.payload.size());

  change_of(there, {}, {next, no_notices, no_alerts, false}, c); // used again
  CHECK_FALSE(c.payload_changed);
  CHECK(c.index_before.empty());
  CHECK(c.index_after.empty());
}

TEST_CASE("a change: of a task in trouble that moves on, alerts about how it stood are over") {
  const auto d = two_steps();
  auto t = task_with("{}", d);
  t.state = workflow::process_state::error;
  auto there = seen(t, d);
  REQUIRE(needs_alerts(there));
  const alert_entry stood{5, 7, "a", {"error", "look at it", {}, at(3)}, {}, workflow::unset};
  const alert_entry known{6, 7, "a", {"error", "look at it", {}, at(3)}, "ann", at(4)};
  const alert_entry other{8, 7, "a", {"note", "it was late", {}, at(3)}, {}, workflow::unset};
  CHECK(changed(there, t, {{}, {stood, known, other}}).over.empty()); // it stands as it did

  auto next = t;
  next.state = workflow::process_state::processing;
  const auto c = changed(there, next, {{}, {stood, known, other}});
  REQUIRE(c.over.size() == 2);
  CHECK(c.over[0].number == 5);
  CHECK(c.over[0].at == at(3)); // the last that is known of it
  CHECK(c.over[0].how.put.value().acknowledged_by == moved_on);
  CHECK(c.over[0].how.is_seen);
  CHECK(c.over[0].how.leaves_incident);
  CHECK(c.over[1].number == 6);
  CHECK_FALSE(c.over[1].how.put); // ann has seen it
  CHECK(c.over[1].how.leaves_incident);
}

TEST_CASE("a change: alerts join the incidents of their signatures, and an end is counted once") {
  const auto d = two_steps();
  const auto t = task_with("{}", d);
  auto next = t;
  next.state = workflow::process_state::error;
  const std::vector<workflow::alert> alerts{{"error", "the service said 503", "send", at(3)}};
  task_change c;
  change_of(seen(t, d), {}, {next, no_notices, alerts}, c);
  REQUIRE(c.raised.size() == 1);
  CHECK(c.raised[0].task_number == 7);
  CHECK(c.raised[0].task_id == "a");
  CHECK(c.raised[0].signature == workflow::signature_of(alerts[0], &next, &d));
  CHECK_FALSE(c.raised[0].is_condition);
  CHECK(c.ending == workflow::ending_of(t.state, next));
  CHECK_FALSE(changed(seen(next, d), next).ending);
}

TEST_CASE("a change: that a task ended is news, unless the write names the task itself") {
  task_change c;
  CHECK_FALSE(is_news_besides(c, 7, 0));
  c.has_ended = true;
  CHECK(is_news_besides(c, 7, 0));
  CHECK(is_news_besides(c, 7, 8));
  CHECK_FALSE(is_news_besides(c, 7, 7));
}
