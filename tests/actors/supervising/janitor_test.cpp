// Ended tasks leave the store by the rules for them, over restarts, and nobody else is kept waiting.

#include "simulation/judge/count_all.hpp"
#include "tests/actors/one_node.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>

using namespace steadfast;
using namespace std::chrono_literals;
using tests::one_node;
using tests::pipeline;
using tests::step_named;

namespace {

std::size_t purges_in(const store::write_list& batch) {
  return static_cast<std::size_t>(std::count_if(
    batch.begin(), batch.end(), [](const auto* w) { return std::holds_alternative<store::purge_ended>(*w); }));
}

/// A node whose tasks end at once, and its janitor.
struct swept_node {
  one_node node;
  actors::janitor_options options;
  actors::janitor_actor janitor;

  explicit swept_node(workflow::retention_rules keep, tests::node_settings settings = {}) : node{std::move(settings)} {
    options.keep = std::move(keep);
    start_janitor();
  }

  void start_janitor() {
    auto& sys = node.system();
    janitor = sys.keep(actors::spawn_janitor(sys.system(), {node.store_actor, node.reader, sys.clock(), options}));
  }

  void restart() {
    janitor = actors::janitor_actor{};
    node.restart();
    start_janitor();
  }

  void submit(const std::string& prefix, int count) {
    for (int i = 0; i < count; ++i)
      REQUIRE(node.submit(prefix + std::to_string(i))->created);
    node.run();
  }

  std::size_t tasks() { return simulation::count_all(node.store()); }
  std::uint64_t left() { return node.store().counts().tasks_purged; }
  std::vector<std::string> faults() { return node.store().check().faults; }

  actors::actor_state state() {
    return node.system().ask<actors::actor_state>(janitor, actors::inspect_state{}).value();
  }
  nlohmann::json tree() { return nlohmann::json::parse(state().tree); }
};

workflow::retention_rules keep_at_most(std::uint64_t n) {
  return {{{}, n}, {}};
}
workflow::retention_rules keep_for(workflow::span s) {
  return {{s, {}}, {}};
}

} // namespace

TEST_CASE("of the ended tasks so many stay as are to be kept, and those that end later take their place") {
  swept_node n{keep_at_most(100)};
  n.submit("a", 350);
  n.node.advance(5s);
  CHECK(n.tasks() == 100);
  CHECK(n.left() == 250);
  n.submit("b", 60);
  n.node.advance(5s);
  CHECK(n.tasks() == 100);
  CHECK(n.node.store().find("a349").has_value());
  CHECK_FALSE(n.node.store().find("a289").has_value());
  CHECK(n.faults().empty());
}

TEST_CASE("ended tasks leave when they are old enough, and not before") {
  swept_node n{keep_for(1h)};
  n.submit("t", 30);
  n.node.advance(59min);
  CHECK(n.tasks() == 30);
  n.node.advance(2min);
  CHECK(n.tasks() == 0);
  CHECK(n.faults().empty());
}

TEST_CASE("the time that a task is kept goes on over a restart") {
  swept_node n{keep_for(1h)};
  n.submit("t", 30);
  n.node.advance(30min);
  n.restart();
  n.node.advance(29min);
  CHECK(n.tasks() == 30);
  n.node.advance(2min);
  CHECK(n.tasks() == 0);
}

TEST_CASE("a process that ends with a purge on its way has made it or has not, and the next one goes on") {
  swept_node n{keep_at_most(10)};
  n.submit("t", 300);
  for (int crashes = 0; crashes < 3; ++crashes) {
    const auto before = n.tasks();
    n.node.run_until_next<actors::write_requests>("store_actor", [](const actors::write_requests& m) {
      return std::holds_alternative<store::purge_ended>(*m.all.at(0).what);
    });
    if (crashes > 0)
      n.node.run_until_next<actors::writes_done>("janitor");
    n.restart();
    CHECK(n.tasks() == (crashes > 0 ? before - 100 : before));
    CHECK(n.faults().empty());
  }
  n.node.advance(5s);
  CHECK(n.tasks() == 10);
  CHECK(n.faults().empty());
}

TEST_CASE("one purge at a time is on its way, of a bounded number of tasks, with a pause after it") {
  swept_node n{keep_at_most(0)};
  n.submit("t", 250);
  std::vector<workflow::instant> made;
  n.node.store().on_commit = [&](const store::write_list& batch) {
    if (purges_in(batch) == 0)
      return;
    CHECK(purges_in(batch) == 1);
    CHECK(std::get<store::purge_ended>(*batch.front()).max <= 100);
    made.push_back(n.node.now());
  };
  n.node.advance(1500ms);
  REQUIRE(made.size() >= 3);
  CHECK(made[0] < made[1]);
  CHECK(made[1] < made[2]);
  CHECK(n.tasks() == 0);
}

TEST_CASE("where age alone counts, nothing is written until a task can be old enough") {
  swept_node n{keep_for(1h)};
  n.submit("t", 3);
  n.node.advance(3s);
  std::size_t purges = 0;
  n.node.store().on_commit = [&](const store::write_list& batch) { purges += purges_in(batch); };
  n.node.advance(10min);
  CHECK(purges <= 11); // once a minute it looks for what it could have missed
}

TEST_CASE("a workflow has the rule of its own, and one without a rule keeps everything") {
  tests::node_settings s;
  s.definitions = {pipeline("kept", {step_named("one")}), pipeline("swept", {step_named("one")})};
  swept_node n{{{}, {{"swept", {{}, 1}}}}, s};
  n.submit("kept", 5);
  for (int i = 0; i < 5; ++i) {
    auto order = n.node.order_for("swept" + std::to_string(i));
    order.workflow = "swept";
    REQUIRE(n.node.submit(order)->created);
  }
  n.node.advance(3s);
  CHECK(n.tasks() == 6);
  CHECK(n.node.store().find("swept4").has_value());
  CHECK(n.tree().at("workflows").size() == 1);
}

TEST_CASE("tasks that somebody must see stay, are looked at again later, and keep no other from leaving") {
  swept_node n{keep_at_most(0)};
  for (int i = 0; i < 3; ++i) {
    auto order = n.node.order_for("observed" + std::to_string(i));
    order.reply_to = "shop";
    REQUIRE(n.node.submit(order)->created);
  }
  n.submit("t", 5);
  n.node.advance(3s);
  CHECK(n.tasks() == 3);
  CHECK(n.state().summary == "5 tasks have left, 3 wait for an acknowledgement");
  n.node.store().commit({store::acknowledge_notices{"shop", n.node.task("observed1").number, 1000}});
  n.node.advance(2min);
  CHECK(n.tasks() == 2);
  CHECK_FALSE(n.node.store().find("observed1").has_value());
}

TEST_CASE("when the store refuses a purge, it is tried again, and the janitor says what was wrong") {
  swept_node n{keep_at_most(0)};
  n.submit("t", 5);
  n.node.store().fail_always(tests::store_tap::fault::full);
  n.node.advance(3s);
  CHECK(n.tasks() == 5);
  CHECK(n.state().summary == "0 tasks have left; the last purge failed: the disk is full");
  n.node.store().fail_always({});
  n.node.advance(3s);
  CHECK(n.tasks() == 0);
  CHECK(n.state().summary == "5 tasks have left");
}

TEST_CASE("when the store cannot be read, the janitor asks again") {
  swept_node n{keep_at_most(0)};
  n.submit("t", 5);
  n.node.store().fail_reads(true);
  n.node.advance(3s);
  n.node.store().fail_reads(false);
  CHECK(n.tasks() == 5);
  n.node.advance(3s);
  CHECK(n.tasks() == 0);
}

TEST_CASE("the janitor tells what has left and when the next task will") {
  swept_node n{{{1h, 2}, {}}};
  n.submit("t", 5);
  n.node.advance(3s);
  const auto tree = n.tree();
  CHECK(tree.at("have_left") == 3);
  const auto& w = tree.at("workflows").at(0);
  CHECK(w.at("workflow") == "trip");
  CHECK(w.at("keep_at_most") == 2);
  CHECK(w.at("keep_for_ms") == 3'600'000);
  CHECK(w.at("have_left") == 3);
  CHECK_FALSE(w.at("next_is_too_old_at").is_null());
  CHECK(tree.at("last_purges").at(0).at("have_left") == 3);
}
