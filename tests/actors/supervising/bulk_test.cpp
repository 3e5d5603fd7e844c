// Acts on many tasks: the node works them off by itself, each task once, over restarts, under load.

#include "tests/actors/one_node.hpp"

#include "simulation/judge/count_all.hpp"
#include "store/records/record.hpp"
#include "workflow/transition/transition.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>

using namespace steadfast;
using namespace std::chrono_literals;
using actors::report_kind;
using actors::task_act;
using tests::one_node;
using tests::scripted_agent;
using tests::store_tap;
using workflow::bulk_state;

namespace {

/// A trip whose flight goes to error with its first failure.
tests::node_settings fails_at_once() {
  tests::node_settings settings;
  auto& flight = settings.definitions[0].steps[1];
  flight.exhausted = workflow::on_exhausted::error;
  flight.retry.attempts = 1;
  flight.threshold = 1;
  return settings;
}

store::task_filter in_state(workflow::process_state s) {
  store::task_filter f;
  f.states = {s};
  return f;
}

store::task_filter in_workflow_with(const std::string& text) {
  store::task_filter f;
  f.workflow = "trip";
  f.text = text;
  return f;
}

/// A node, and the actor that works off its bulk acts.
struct busy_node {
  one_node node;
  actors::bulk_options options;
  actors::bulk_runner_actor runner;

  explicit busy_node(tests::node_settings settings = {}) : node{std::move(settings)} { start_desk(); }

  void start_desk() {
    auto& sys = node.system();
    runner = sys.keep(
      actors::spawn_bulk_runner(sys.system(), {node.store_actor, node.reader, node.gateway, sys.clock(), options}));
    node.run();
  }

  void restart() {
    runner = actors::bulk_runner_actor{};
    node.restart();
    start_desk();
  }

  /// Tasks that wait for a moment in a distant future.
  void submit(const std::string& prefix, int count) {
    for (int i = 0; i < count; ++i) {
      auto order = node.order_for(prefix + std::to_string(i));
      order.not_before = tests::midday + 100h;
      REQUIRE(node.submit(order)->created);
    }
  }

  /// Tasks whose flight has failed.
  void submit_failing(int count) {
    node.agent("flight").follow(scripted_agent::fail(1'000'000, report_kind::failed_transient));
    for (int i = 0; i < count; ++i)
      node.submit("t" + std::to_string(i));
    node.advance(1min);
    REQUIRE(tasks_in(workflow::process_state::error) == static_cast<std::size_t>(count));
  }

  void write(store::write what) {
    actors::write_request r;
    r.what = actors::boxed<store::write>{std::move(what)};
    node.system().tell(actors::lease_actor{}, node.store_actor, actors::write_requests{{std::move(r)}});
  }

  void begin(task_act act, const store::task_filter& filter, std::uint64_t about = 0) {
    store::start_bulk w;
    w.what.act = act;
    w.what.who = "grace";
    w.what.why = "because";
    w.what.filter = store::encode(filter);
    w.what.about = about;
    write(w);
  }

  workflow::bulk_act bulk(std::uint64_t number = 1) { return node.store().find_bulk_act(number).acts.at(0); }
  bool is_over(std::uint64_t number = 1) { return !workflow::is_open(bulk(number)); }
  bool ends(workflow::span at_most = 10min, std::uint64_t number = 1) {
    return node.system().advance_until([&] { return is_over(number); }, at_most);
  }

  std::size_t tasks_in(workflow::process_state s) { return simulation::count_all(node.store(), in_state(s)); }

  /// By how many acts each task was met: the smallest and the largest number.
  std::pair<std::size_t, std::size_t> acts_each() {
    std::size_t least = 1000;
    std::size_t most = 0;
    for (const auto& t : node.store().list({}, std::nullopt, 10'000).tasks) {
      least = std::min(least, t.acts.size());
      most = std::max(most, t.acts.size());
    }
    return {least, most};
  }
};

bool acts_in_bulk(const store::write_list& batch) {
  return std::any_of(batch.begin(), batch.end(), [](const auto* w) {
    const auto* u = std::get_if<store::update_task>(w);
    return u != nullptr && u->bulk != 0;
  });
}

} // namespace

TEST_CASE("a bulk act meets every task that matches, by the way of a single act, and is then over") {
  busy_node n;
  n.submit("t", 200);
  n.submit("u", 1);
  REQUIRE(n.node.act("t7", task_act::suspend).done);
  n.begin(task_act::suspend, in_workflow_with("t"), 200);
  REQUIRE(n.ends());
  const auto b = n.bulk();
  CHECK(b.state == bulk_state::ended);
  CHECK(b.done == 199);
  CHECK(b.refused == 1);
  CHECK(b.skipped == 0);
  const auto refusals = n.node.store().find_bulk_act(1).refusals;
  REQUIRE(refusals.size() == 1);
  CHECK(refusals[0].task_id == "t7");
  CHECK(refusals[0].why == n.node.act("t7", task_act::suspend).why);
  CHECK(n.tasks_in(workflow::process_state::suspended) == 200);
  CHECK(n.node.state("u0") == "pending");
  const auto acts = n.node.task("t42").acts;
  REQUIRE(acts.size() == 1);
  CHECK(acts[0].who == "grace");
  CHECK(acts[0].why == "because");
  CHECK(acts[0].what == "suspend");
  CHECK(n.node.broken_invariants().empty());
}

TEST_CASE("what a bulk act changes does not make it meet the task again, and what comes later is not met") {
  busy_node n{fails_at_once()};
  n.submit_failing(150);
  n.begin(task_act::retry, in_state(workflow::process_state::error), 150);
  n.node.run();
  n.node.submit("late");
  REQUIRE(n.ends());
  n.node.advance(1min);
  CHECK(n.tasks_in(workflow::process_state::error) == 151); // each of them failed again
  CHECK(n.bulk().done == 150);
  CHECK(n.node.task("late").acts.empty());
  for (int i = 0; i < 150; ++i)
    REQUIRE(n.node.task("t" + std::to_string(i)).acts.size() == 1);
}

TEST_CASE("a process that ends amid a bulk act goes on with it, and each task has taken it once") {
  const auto* const what = GENERATE("update", "advance", "unanswered");
  INFO(what);
  auto settings = fails_at_once();
  if (std::string{what} == "update") // each by itself
    settings.batch_max = 1;
  busy_node n{settings};
  n.submit_failing(150);
  n.begin(task_act::retry, in_state(workflow::process_state::error), 150);
  for (int crashes = 0; crashes < 3; ++crashes) {
    n.node.run_until_next<actors::write_requests>("store_actor", [&](const actors::write_requests& m) {
      const auto* u = std::get_if<store::update_task>(&*m.all.at(0).what);
      return std::string{what} == "advance" ? std::holds_alternative<store::advance_bulk>(*m.all.at(0).what)
                                            : u != nullptr && u->bulk != 0;
    });
    for (int i = std::string{what} == "update" ? 20 : 1; i > 0 && std::string{what} != "advance"; --i) {
      n.node.run_until_next<actors::writes_done>("gateway");
      n.node.step();
    }
    n.restart();
    n.node.agent("flight").follow(scripted_agent::fail(1'000'000, report_kind::failed_transient));
    CHECK(n.node.store().check().faults.empty());
  }
  REQUIRE(n.ends());
  n.node.advance(1min);
  CHECK(n.bulk().done == 150);
  CHECK(n.bulk().skipped == 0);
  CHECK(n.acts_each() == std::pair<std::size_t, std::size_t>{1, 1});
  CHECK(n.tasks_in(workflow::process_state::error) == 150);
}

TEST_CASE("a bulk act that is stopped leaves the rest as it is") {
  busy_node n;
  n.submit("t", 300);
  n.begin(task_act::suspend, {}, 300);
  n.node.run_until_next<actors::writes_done>("bulk_runner");
  n.write(store::stop_bulk{1, "ann", "wrong filter", {}});
  n.node.advance(1min);
  const auto b = n.bulk();
  CHECK(b.state == bulk_state::stopped);
  CHECK(b.done > 0);
  CHECK(b.done <= 2 * workflow::bulk_page_max);
  CHECK(n.tasks_in(workflow::process_state::suspended) == b.done);
  CHECK(n.tasks_in(workflow::process_state::pending) == 300 - b.done);
}

TEST_CASE("a task that does not match any more when it is its turn is skipped, and one that still does is met as it is "
          "by then") {
  busy_node n;
  n.submit("t", 3);
  n.begin(task_act::cancel, in_state(workflow::process_state::pending), 3);
  n.node.run_until_next<actors::act_on_task>("gateway");
  // Both change between the look at them and the act.
  const auto t1 = *n.node.store().find("t1");
  auto change =
    workflow::apply(t1, *n.node.store().find_definition("trip", 1), workflow::suspended{{"bob", "wait"}}, n.node.now());
  REQUIRE(change.result == workflow::event_status::applied);
  store::update_task suspension;
  suspension.lock_epoch_before = t1.lock_epoch;
  suspension.next = change.next;
  suspension.notices = change.notices;
  store::update_task none;
  none.next = *n.node.store().find("t2");
  none.lock_epoch_before = none.next.lock_epoch;
  for (const auto& o : n.node.store().commit({suspension, none}))
    REQUIRE(o.result == store::write_status::applied);
  REQUIRE(n.ends());
  CHECK(n.bulk().done == 2);
  CHECK(n.bulk().skipped == 1);
  CHECK(n.node.state("t1") == "suspended");
  CHECK(n.node.task("t2").acts.size() == 1);
}

TEST_CASE("several bulk acts have their pages in turn") {
  busy_node n;
  n.submit("t", 300);
  n.submit("u", 10);
  n.begin(task_act::suspend, in_workflow_with("t"), 300);
  n.begin(task_act::suspend, in_workflow_with("u"), 10);
  REQUIRE(n.ends(10min, 2));
  CHECK_FALSE(n.is_over(1));
  REQUIRE(n.ends());
  CHECK(n.tasks_in(workflow::process_state::suspended) == 310);
}

TEST_CASE(
  "a bulk act leaves most of the time to others: a page at a time, with a pause after it, no faster than its rate") {
  busy_node n;
  n.submit("t", 640);
  std::vector<workflow::instant> pages;
  n.node.store().on_commit = [&](const store::write_list& batch) {
    std::size_t acts = 0;
    for (const auto* w : batch)
      if (const auto* u = std::get_if<store::update_task>(w))
        acts += u->bulk != 0 ? 1 : 0;
    CHECK(acts <= workflow::bulk_page_max);
    if (acts > 0 && (pages.empty() || pages.back() != n.node.now()))
      pages.push_back(n.node.now());
  };
  const auto began_at = n.node.now();
  n.begin(task_act::suspend, {}, 640);
  REQUIRE(n.ends());
  CHECK(pages.size() >= 10);
  CHECK(n.node.now() - began_at >= 500ms); // 640 at 1000/s, the last page has no pause before its end
}

TEST_CASE("when the store cannot be read or written, a bulk act waits and then goes on, and refuses nothing for it") {
  busy_node n;
  n.submit("t", 100);
  n.node.store().fail_next(store_tap::fault::full, acts_in_bulk);
  n.begin(task_act::suspend, {}, 100);
  n.node.run();
  n.node.store().fail_reads(true);
  n.node.advance(3s);
  n.node.store().fail_reads(false);
  REQUIRE(n.ends());
  CHECK(n.bulk().done == 100);
  CHECK(n.bulk().refused == 0);
}

TEST_CASE("at rest the bulk runner asks for nothing, and wakes when a bulk act begins") {
  busy_node n;
  n.submit("t", 3);
  n.node.advance(5s);
  const auto state = [&] {
    return nlohmann::json::parse(
      n.node.system().ask<actors::actor_state>(n.runner, actors::inspect_state{}).value().tree);
  };
  CHECK(state().at("open") == 0);
  CHECK(state().at("wakes_at").is_null());
  n.begin(task_act::suspend, {}, 3);
  REQUIRE(n.ends(1s));
  n.node.advance(1s);
  CHECK(state().at("met") == 3);
  CHECK(state().at("wakes_at").is_null());
}

TEST_CASE("a bulk act whose conditions cannot be read is stopped, and says so") {
  busy_node n;
  n.submit("t", 3);
  store::start_bulk w;
  w.what.act = task_act::cancel;
  w.what.filter = "of another version";
  n.write(w);
  REQUIRE(n.ends());
  CHECK(n.bulk().state == bulk_state::stopped);
  CHECK(n.bulk().stopped_why == "its conditions cannot be read by this version");
  CHECK(n.tasks_in(workflow::process_state::pending) == 3);
}
