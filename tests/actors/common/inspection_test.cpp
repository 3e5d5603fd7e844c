// People look at the actors of a node, and let it be drained.

#include "actors/agents/agents.hpp"
#include "actors/common/observed.hpp"
#include "tests/actors/neighbour.hpp"
#include "tests/actors/shown.hpp"
#include "tests/support/comes_true.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <future>
#include <thread>

using namespace steadfast;
using namespace std::chrono_literals;
using tests::scripted_agent;

namespace {

/// Hangs in a message until it is let go on.
class hanging_actor : public actors::observed<actors::inspectable_actor> {
public:
  hanging_actor(caf::actor_config& cfg, std::shared_future<void> until) : observed{cfg}, until_{std::move(until)} {}

  behavior_type make_behavior() override {
    return {[this](const actors::inspect_state&) {
      until_.wait();
      return actors::actor_state{"went on", 0, "{}"};
    }};
  }

private:
  std::shared_future<void> until_;
};

/// A node with a front that knows its actors.
struct shown_node {
  tests::one_node node;
  actors::node_front front;

  explicit shown_node(std::vector<actors::named_actor> more = {}) {
    auto& sys = node.system();
    std::vector<actors::named_actor> all{{"store", {}, node.store_actor},          {"reader", {}, node.reader},
                                         {"scheduler", {}, node.schedulers.at(0)}, {"supervisor", {}, node.supervisor},
                                         {"lease", "supervisor", node.lease},      {"gateway", {}, node.gateway},
                                         {"notifier", {}, node.notifier}};
    all.insert(all.end(), more.begin(), more.end());
    front = sys.keep(actors::spawn_front(sys.system(), {{"n1", {}, {}, {}, {}}, sys.clock(), all}));
  }

  actors::actor_page list(const std::string& kind = {}) {
    return node.system().ask<actors::actor_page>(front, actors::list_actors{kind}).value();
  }
  actors::actor_view find(const std::string& id, std::uint32_t listed_max = 20) {
    return node.system().ask<actors::actor_view>(front, actors::find_actor{id, listed_max}).value();
  }
  nlohmann::json tree(const std::string& id, std::uint32_t listed_max = 20) {
    return nlohmann::json::parse(find(id, listed_max).state.tree);
  }
};

} // namespace

TEST_CASE("a node lists its actors: ids that stay the same, mailboxes, states in short") {
  shown_node n;
  n.node.agent("hotel").follow(scripted_agent::hang);
  n.node.submit("t1");
  const auto page = n.list();
  REQUIRE(page.actors.size() == 7);
  for (const auto& a : page.actors) {
    CHECK(a.answers);
    CHECK(a.node == "n1");
    CHECK(a.mailbox.waiting == 0);
    CHECK(a.mailbox.busy_for == 0ms);
  }
  CHECK(page.actors[0].id == "store@n1");
  CHECK(page.actors[0].mailbox.handled > 3);
  CHECK(page.actors[0].mailbox.last_message != "inspect_state");
  CHECK(page.actors[2].id == "scheduler@n1");
  CHECK(page.actors[2].state.summary == "1 of 100 tasks");
  CHECK(page.actors[2].state.open == 1);
  CHECK(page.actors[4].id == "lease:supervisor@n1");
  CHECK(page.actors[4].state.summary == "held under epoch 1");
  CHECK(n.list("lease").actors.size() == 1);
  CHECK(n.list("drone").actors.empty());
}

TEST_CASE("an actor shows what it works with, and no more of it than was asked for") {
  shown_node n;
  n.node.agent("hotel").follow(scripted_agent::hang);
  for (int i = 0; i < 5; ++i)
    n.node.submit("t" + std::to_string(i));
  const auto scheduler = n.tree("scheduler@n1", 2);
  REQUIRE(scheduler.at("tasks").size() == 3);
  CHECK(scheduler.at("tasks")[0].at("id") == "t0");
  CHECK(scheduler.at("tasks")[0].at("waits_for") == "agents");
  CHECK(scheduler.at("tasks")[0].at("attempts")[0].at("step") == "hotel");
  CHECK(scheduler.at("tasks")[2] == nlohmann::json{{"more", 3}});
  CHECK(scheduler.at("agents")[1].at("agent") == "agent_of_hotel");
  CHECK(scheduler.at("agents")[1].at("in_flight") == 5);
  const auto store = n.tree("store@n1");
  CHECK(store.at("commits") >= 5);
  CHECK(store.at("last_commits")[0].at("writes") >= 1);
  CHECK(n.tree("supervisor@n1").at("active") == true);
  CHECK(n.tree("lease:supervisor@n1").at("epoch") == 1);
  for (const auto& a : n.list().actors)
    CHECK(n.tree(a.id).is_object());
}

TEST_CASE("an actor that is not there is said not to be") {
  shown_node n;
  auto why = std::make_shared<std::string>();
  n.node.system().system().spawn([why, front = n.front](caf::event_based_actor* self) {
    actors::ask(self, front, 5s, actors::find_actor{"scheduler@n2", 20})
      .then([](const actors::actor_view&) {},
            [why](const caf::error& e) { *why = e.context().get_as<std::string>(0); });
  });
  n.node.run();
  CHECK(*why == "there is no actor `scheduler@n2`");
}

TEST_CASE("an actor that does not answer holds the others up for no longer than the limit") {
  tests::one_node node;
  auto& sys = node.system();
  auto silent = sys.keep(
    sys.system().spawn([](actors::inspectable_actor::pointer self) -> actors::inspectable_actor::behavior_type {
      return {[self, kept = std::make_shared<std::vector<caf::typed_response_promise<actors::actor_state>>>()](
                const actors::inspect_state&) {
        kept->push_back(self->make_response_promise<actors::actor_state>());
        return kept->back();
      }};
    }));
  actors::front_deps deps{
    {"n1", {}, {}, {}, {}}, sys.clock(), {{"stone", {}, silent}, {"store", {}, node.store_actor}}};
  const auto front = sys.keep(actors::spawn_front(sys.system(), std::move(deps)));
  const auto page = sys.begin_to_ask<actors::actor_page>(front, actors::list_actors{});
  node.run();
  CHECK_FALSE(page->has_value());
  node.advance(1s);
  REQUIRE(page->has_value());
  CHECK_FALSE((*page)->actors.at(0).answers);
  CHECK((*page)->actors.at(1).answers);
}

TEST_CASE("how long an actor hangs, in what, and what waits for it, is seen from outside") {
  caf::actor_system_config config;
  config.add_message_types<caf::id_block::steadfast>();
  caf::actor_system sys{config};
  std::promise<void> go_on;
  {
    const auto hanging = sys.spawn<hanging_actor, caf::detached>(go_on.get_future().share());
    const auto* meter = dynamic_cast<const actors::mailbox_meter*>(caf::actor_cast<caf::abstract_actor*>(hanging));
    REQUIRE(meter != nullptr);
    for (int i = 0; i < 3; ++i)
      actors::tell_from_outside(hanging, actors::inspect_state{});
    CHECK(tests::comes_true([&] { return meter->look(sys).busy_for >= 20ms; }));
    const auto hangs = meter->look(sys);
    CHECK(hangs.waiting == 2);
    CHECK(hangs.handled == 0);
    go_on.set_value();
    CHECK(tests::comes_true([&] { return meter->look(sys).handled == 3; }));
    CHECK(meter->look(sys).waiting == 0);
    actors::exit_now(hanging);
  }
}

TEST_CASE("a drained node finishes what it has, gives the rest back, and its agents are not used any more") {
  tests::node_settings settings;
  settings.schedulers.clear();
  tests::one_node home{settings};
  tests::address_book book{home};
  open_home(home, book);
  tests::neighbour b{home, book, "b"};
  tests::neighbour d{home, book, "d"};
  for (auto* n : {&b, &d})
    n->agent("hotel").follow(scripted_agent::hang);
  home.advance(6s);
  home.submit("t1");
  auto& leaves = home.task("t1").locked_by == "b" ? b : d;
  auto& stays = &leaves == &b ? d : b;
  home.system().tell(caf::strong_actor_ptr{}, leaves.front, actors::drain_node{5s});
  home.advance(2s);
  for (int i = 0; i < 10; ++i)
    home.submit("u" + std::to_string(i));
  home.advance(1s); // one may have been offered to the node that takes nothing any more
  for (int i = 0; i < 10; ++i)
    CHECK(home.task("u" + std::to_string(i)).locked_by == stays.name);
  const auto orders_before = leaves.agent("hotel").orders().size();
  home.advance(60s);
  CHECK(leaves.agent("hotel").orders().size() == orders_before);
  CHECK(home.task("t1").locked_by == stays.name);
  CHECK(home.broken_invariants().empty());
}

TEST_CASE("row 20: a node that is drained drains its scheduler and its agents, and gives its leases back") {
  tests::one_node node;
  node.run();
  auto& sys = node.system();
  actors::agent_options o;
  o.name = "payment";
  const auto agent = sys.keep(actors::spawn_function_agent(
    sys.system(), o, sys.clock(), actors::quick_function{[](const actors::call&) { return actors::succeeded(); }}));
  actors::front_deps deps{{"n1", {}, {}, {}, {{"payment", "n1", agent}}}, sys.clock()};
  deps.schedulers = {node.schedulers.at(0)};
  deps.leases = {node.lease};
  const auto front = sys.keep(actors::spawn_front(sys.system(), std::move(deps)));
  sys.tell(caf::strong_actor_ptr{}, front, actors::drain_node{5s});
  node.run();
  CHECK(tests::shown_by_scheduler(sys, node.schedulers.at(0)).draining);
  CHECK(tests::shown_by(sys, agent).at("draining") == true);
  for (const auto& l : node.store().leases({workflow::never}))
    if (l.name == "supervisor")
      CHECK(l.expires_at == workflow::unset);
}

TEST_CASE("a task that the deadline index has lost is found, freed and told of") {
  tests::one_node node;
  node.agent("hotel").follow(scripted_agent::hang);
  node.submit("t1");
  node.system().tell(actors::lease_actor{}, node.schedulers.at(0),
                     actors::lease_changed{}); // it forgets nothing, takes nothing
  node.store().hide_overdue(true);
  actors::exit_now(node.schedulers.at(0), caf::exit_reason::kill);
  node.run();
  const auto s = node.task("t1").steps.at(0);
  REQUIRE(s.doing == workflow::attempt_action::perform);
  const auto due = s.complete_by;
  CHECK(node.system().advance_until([&] { return node.task("t1").locked_by.empty(); }, 5min));
  CHECK(node.now() >= due + 60s);
  CHECK(node.alerts() == std::vector<std::string>{"stuck"});
  CHECK(tests::shown_by_supervisor(node.system(), node.supervisor).stuck == 1);
}

TEST_CASE("P6: of stuck tasks all are found in one look, however many pages they fill") {
  tests::node_settings settings;
  settings.supervisor.review_max = 2;
  tests::one_node node{settings};
  node.agent("hotel").follow(scripted_agent::hang);
  constexpr int tasks = 7;
  for (int i = 0; i < tasks; ++i)
    node.submit("t" + std::to_string(i));
  node.system().tell(actors::lease_actor{}, node.schedulers.at(0), actors::lease_changed{});
  node.store().hide_overdue(true);
  actors::exit_now(node.schedulers.at(0), caf::exit_reason::kill);
  const auto stuck = [&node] { return tests::shown_by_supervisor(node.system(), node.supervisor).stuck; };
  REQUIRE(node.system().advance_until([&] { return !node.alerts().empty(); }, 5min));
  CHECK(stuck() == tasks);
}
