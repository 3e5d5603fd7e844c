// The supervisor, the lease it acts under, and what happens when either is not there.

#include "tests/actors/one_node.hpp"
#include "tests/actors/shown.hpp"

#include <catch2/catch.hpp>

using namespace steadfast;
using namespace std::chrono_literals;
using actors::report_kind;
using actors::write_requests;
using tests::one_node;
using tests::report_on;
using tests::scripted_agent;
using tests::store_tap;

namespace {

tests::shown_supervisor view_of_supervisor(one_node& node) {
  return tests::shown_by_supervisor(node.system(), node.supervisor);
}

store::lease supervisor_lease(one_node& node) {
  for (const auto& l : node.store().leases({workflow::never}))
    if (l.name == "supervisor")
      return l;
  return {};
}

/// Another node holds the lease from now on, for as long.
void give_lease_to_another(one_node& node, workflow::span ttl) {
  const auto mine = supervisor_lease(node);
  node.store().commit({store::release_lease{"supervisor", mine.holder, mine.epoch},
                       store::acquire_lease{"supervisor", "another", {}, ttl, node.now()}});
  REQUIRE(supervisor_lease(node).holder == "another");
}

/// A change of a task by somebody else than the scheduler that has it: here only the supervisor does that.
bool decides(const write_requests& m) {
  return std::holds_alternative<store::update_task>(*m.all.at(0).what) && !m.all.at(0).holder.empty();
}

} // namespace

TEST_CASE("the supervisor acts once its lease is won, and the lease is renewed as long as it sweeps") {
  one_node node;
  node.run();
  CHECK(view_of_supervisor(node).active);
  CHECK(view_of_supervisor(node).epoch == 1);
  node.advance(10min);
  CHECK(view_of_supervisor(node).active);
  CHECK(view_of_supervisor(node).epoch == 1);
  CHECK(view_of_supervisor(node).sweeps > 500);
  CHECK(supervisor_lease(node).expires_at > node.now());
}

TEST_CASE(
  "row 38: a supervisor that dies leaves its work to the next holder, who may begin when the lease has run out") {
  one_node node;
  node.agent("hotel").follow(scripted_agent::hang);
  node.submit("t1");
  node.advance(25s);
  const auto until = supervisor_lease(node).expires_at;
  node.settings().schedulers = {}; // nobody else notices either
  node.restart();
  node.advance(until - node.now() - 1ms);
  CHECK_FALSE(view_of_supervisor(node).active);
  node.advance(3s);
  CHECK(view_of_supervisor(node).active);
  CHECK(view_of_supervisor(node).epoch == 2);
  node.advance(5s);
  CHECK(node.task("t1").failure_count == 1);
  CHECK(node.state("t1") == "pending");
}

TEST_CASE("row 41: a supervisor without the lease decides nothing") {
  one_node node;
  node.run();
  give_lease_to_another(node, 10min);
  node.restart();
  node.agent("hotel").follow(scripted_agent::hang);
  node.submit("t1");
  node.advance(5min);
  CHECK_FALSE(view_of_supervisor(node).active);
  CHECK(view_of_supervisor(node).reviewed == 0);
  CHECK(node.task("t1").failure_count == 0);
  CHECK(node.step_state("t1", 0) == "unknown"); // its scheduler saw complete-by pass
  node.agent("hotel").follow(scripted_agent::succeed);
  CHECK(node.reaches("t1", "processed", 6min));
}

TEST_CASE("row 41: a decision that is made under a lease that was lost meanwhile is refused by the store") {
  one_node node;
  node.agent("hotel").follow(scripted_agent::hang);
  node.submit("t1");
  node.run_until_next<write_requests>("store_actor", decides);
  give_lease_to_another(node, 10min);
  node.advance(1ms);
  CHECK(node.task("t1").failure_count == 0);
  CHECK(node.task("t1").steps[0].needs_review);
  CHECK(view_of_supervisor(node).decided == 0);
}

TEST_CASE("row 14: a holder that learns that its lease went to another stops at once") {
  one_node node;
  node.run();
  REQUIRE(view_of_supervisor(node).active);
  give_lease_to_another(node, 10min);
  node.advance(4s); // its next renewal is refused
  CHECK_FALSE(view_of_supervisor(node).active);
  const auto sweeps = view_of_supervisor(node).sweeps;
  node.advance(1min);
  CHECK(view_of_supervisor(node).sweeps == sweeps);
}

TEST_CASE("row 42: a supervisor that hangs loses the lease although its lease actor lives, and another wins it") {
  one_node node;
  node.run();
  tests::recorder<actors::lease_changed> other{node.system().system()};
  const actors::lease_options o{"supervisor", "another", {}, {}};
  node.system().keep(
    actors::spawn_lease_actor(node.system().system(), {node.store_actor, other.handle(), node.system().clock(), o}));
  node.advance(1min);
  CHECK(other.seen().empty());
  actors::exit_now(node.supervisor);
  node.advance(30s);
  REQUIRE_FALSE(other.seen().empty());
  CHECK(other.seen()[0].epoch == 2);
}

TEST_CASE("a supervisor that cannot read makes no progress and loses the lease") {
  one_node node;
  node.run();
  node.store().fail_reads(true);
  CHECK(node.system().advance_until([&] { return !view_of_supervisor(node).active; }, 12s));
  node.store().fail_reads(false);
  node.advance(30s);
  CHECK(view_of_supervisor(node).active);
}

TEST_CASE("row 45: when the store does not take the renewal, the holder stops before its lease is over") {
  one_node node;
  node.run();
  const auto until = supervisor_lease(node).expires_at;
  node.store().fail_always(store_tap::fault::full);
  node.advance(until - node.now() - 1ms);
  CHECK_FALSE(view_of_supervisor(node).active);
  node.store().fail_always(std::nullopt);
  node.advance(10s);
  CHECK(view_of_supervisor(node).active);
}

TEST_CASE("row 64: a renewal of which nobody knows whether it was made ends nothing") {
  one_node node;
  node.run();
  node.store().fail_next(store_tap::fault::reported_unknown, [](const store::write_list& batch) {
    return std::holds_alternative<store::renew_lease>(*batch.at(0));
  });
  for (int i = 0; i < 12; ++i) {
    node.advance(1s);
    CHECK(view_of_supervisor(node).active);
    CHECK(view_of_supervisor(node).epoch == 1);
  }
}

TEST_CASE("row 50: when the clock of the store's node is set back, a holder elsewhere stops in time all the same") {
  tests::node_settings settings;
  settings.has_supervisor = false;
  one_node node{settings};
  const auto lead = std::make_shared<actors::shared_lead>();
  lead->set({{0ms, 0ms, node.now()}, node.now()});
  auto clock = node.system().clock();
  clock.lead = lead;
  auto& sys = node.system().system();
  const actors::lease_options o{"supervisor", "elsewhere", {}, settings.lease};
  node.supervisor = node.system().keep(actors::spawn_supervisor(sys, {node.store_actor, node.reader, clock, {}, {}}));
  const auto lease = node.system().keep(actors::spawn_lease_actor(sys, {node.store_actor, node.supervisor, clock, o}));
  node.run();
  REQUIRE(view_of_supervisor(node).active);
  const auto until = supervisor_lease(node).expires_at;
  node.store().fail_always(store_tap::fault::full);
  lead->set({{-1h, -1h, node.now()}, lead->get().set_at});
  node.advance(until - node.now() - 1ms);
  CHECK_FALSE(view_of_supervisor(node).active);
}

TEST_CASE("a lease that is given up in good order can be had by another at once, under a higher epoch") {
  one_node node;
  node.run();
  const auto answer = node.system().ask<actors::drained>(node.lease, actors::drain{1s});
  REQUIRE(answer.has_value());
  CHECK_FALSE(view_of_supervisor(node).active);
  CHECK(supervisor_lease(node).expires_at == workflow::unset);
  node.restart();
  node.run();
  CHECK(view_of_supervisor(node).active);
  CHECK(view_of_supervisor(node).epoch == 2);
}

TEST_CASE("a lease that its holder stopped to use in time is given back all the same, so that others need not wait") {
  one_node node;
  node.run();
  actors::exit_now(node.supervisor, caf::exit_reason::kill); // without progress it is not renewed
  node.advance(9s);                                          // the holder stops after 8 s, the lease ends after 10 s
  REQUIRE(supervisor_lease(node).expires_at > node.now());
  CHECK(node.system().ask<actors::drained>(node.lease, actors::drain{1s}).has_value());
  CHECK(supervisor_lease(node).expires_at == workflow::unset);
}

TEST_CASE("a lease that is being asked for when its campaign ends is given back as soon as it is granted") {
  one_node node;
  const auto answer = node.system().begin_to_ask<actors::drained>(node.lease, actors::drain{1s});
  node.run_until_next<actors::drain>("lease_actor");
  REQUIRE(supervisor_lease(node).expires_at > node.now()); // granted, and the answer is on its way
  node.run();
  CHECK(answer->has_value());
  CHECK(supervisor_lease(node).expires_at == workflow::unset);
}

TEST_CASE("a drain of a lease is answered when the lease is free in the store, not before") {
  one_node node;
  node.run();
  const auto answer = node.system().begin_to_ask<actors::drained>(node.lease, actors::drain{1s});
  while (!answer->has_value() && node.system().step()) {
  }
  REQUIRE(answer->has_value());
  CHECK(supervisor_lease(node).expires_at == workflow::unset);
  node.advance(1min); // it campaigns no more
  CHECK(supervisor_lease(node).expires_at == workflow::unset);
  CHECK(supervisor_lease(node).epoch == 1);
}

TEST_CASE("P20: an answer that comes after its request was given up says nothing of the one that was made since") {
  tests::node_settings settings;
  settings.has_supervisor = false;
  one_node node{settings};
  node.run();
  auto& system = node.system();
  tests::recorder<actors::lease_changed> guarded{system.system()};
  const actors::lease_options o{"supervisor", "late", {}, settings.lease};
  node.lease =
    system.keep(actors::spawn_lease_actor(system.system(), {node.store_actor, guarded.handle(), system.clock(), o}));
  node.run_until_next<actors::flush>("store_actor"); // the request is about to be made
  system.move_clock(settings.lease.renew_every);
  while (system.trigger_due_timer()) {
  }
  for (std::size_t i = 0; system.next_for<actors::tick_timer>("lease_actor") == nullptr; ++i) {
    REQUIRE(i < system.ready());
    system.choose(i);
  }
  system.step(); // it asks anew
  node.run();
  REQUIRE(guarded.seen().size() == 1);
  CHECK(guarded.seen()[0].epoch == supervisor_lease(node).epoch);
}

TEST_CASE("row 47: a lease is not released by a stranger, and releasing it twice does no harm") {
  one_node node;
  node.run();
  const auto held = supervisor_lease(node);
  node.store().commit({store::release_lease{"supervisor", "stranger", held.epoch}});
  node.store().commit({store::release_lease{"supervisor", held.holder, held.epoch - 1}});
  CHECK(supervisor_lease(node).expires_at == held.expires_at);
  node.system().ask<actors::drained>(node.lease, actors::drain{1s});
  CHECK(node.system().ask<actors::drained>(node.lease, actors::drain{1s}).has_value());
  CHECK(supervisor_lease(node).epoch == held.epoch);
}

TEST_CASE("row 49: epochs go on above all former ones over every restart") {
  one_node node;
  std::uint64_t last = 0;
  for (int i = 0; i < 5; ++i) {
    node.advance(20s);
    REQUIRE(view_of_supervisor(node).active);
    CHECK(view_of_supervisor(node).epoch > last);
    last = view_of_supervisor(node).epoch;
    node.restart();
  }
}

TEST_CASE("row 40: the failure of an attempt is counted once, however often it is looked at") {
  one_node node;
  node.agent("hotel").follow([first = true](const actors::step_order& o) mutable {
    return std::exchange(first, false) ? std::nullopt : scripted_agent::succeed(o);
  });
  node.submit("t1");
  // The scheduler's timer goes off and the supervisor sweeps at the same moment; then both lose their memory.
  node.run_until_next<write_requests>("store_actor", decides);
  node.run_until_next<actors::flush>("store_actor");
  node.step();
  CHECK(node.task("t1").failure_count == 1);
  node.restart();
  CHECK(node.reaches("t1", "processed", 1min));
  CHECK(node.task("t1").failure_count == 1);
  CHECK(node.agent("hotel").orders().size() == 2);
}

TEST_CASE(
  "row 39: killed between its decision and the commit, the supervisor has decided nothing, and its successor does") {
  one_node node;
  node.agent("hotel").follow(scripted_agent::hang);
  node.submit("t1");
  node.run_until_next<write_requests>("store_actor", decides);
  node.crash();
  node.agent("hotel").follow(scripted_agent::succeed);
  node.start();
  CHECK(node.task("t1").failure_count == 0);
  CHECK(node.task("t1").steps[0].needs_review);
  CHECK(node.reaches("t1", "processed", 1min));
  CHECK(node.task("t1").failure_count == 1);
}

TEST_CASE("row 43: without a supervisor healthy tasks complete, and the overdue are recovered on its return") {
  tests::node_settings settings;
  settings.has_supervisor = false;
  one_node node{settings};
  node.agent("hotel").follow([](const actors::step_order& o) {
    return o.task_id == "t1" && o.attempt == 1 ? std::nullopt : scripted_agent::succeed(o);
  });
  node.submit("t1");
  for (int i = 0; i < 6; ++i) {
    node.advance(10min);
    node.submit("healthy" + std::to_string(i));
    CHECK(node.state("healthy" + std::to_string(i)) == "processed");
  }
  CHECK(node.state("t1") == "processing");
  node.settings().has_supervisor = true;
  node.restart();
  CHECK(node.reaches("t1", "processed", 1min));
}

TEST_CASE("P13: all that is overdue is acted on in one sweep, however many pages it fills") {
  tests::node_settings settings;
  settings.supervisor.review_max = 3;
  settings.definitions[0].steps[0].retry.attempts = 1;
  one_node node{settings};
  node.agent("hotel").follow(scripted_agent::hang);
  constexpr int tasks = 20;
  for (int i = 0; i < tasks; ++i)
    node.submit("t" + std::to_string(i));
  node.settings().schedulers = {}; // nobody else notices
  node.advance(29s);
  node.restart();
  const auto counted = [&] {
    int all = 0;
    for (int i = 0; i < tasks; ++i)
      all += node.task("t" + std::to_string(i)).failure_count;
    return all;
  };
  REQUIRE(node.system().advance_until([&] { return counted() > 0; }, 20s));
  CHECK(counted() == tasks);
}

TEST_CASE("a hint that comes while the supervisor sweeps leads to another sweep at once") {
  one_node node;
  node.run();
  const auto sweeps = view_of_supervisor(node).sweeps;
  actors::store_news hint;
  hint.review = true;
  node.system().tell(caf::strong_actor_ptr{}, node.supervisor, hint);
  node.run_until_next<actors::overdue_page>("supervisor"); // it sweeps
  for (int i = 0; i < 2; ++i)                              // ahead of the page
    node.supervisor->enqueue(nullptr, caf::make_message_id(caf::message_priority::high), caf::make_message(hint),
                             nullptr);
  node.run();
  CHECK(view_of_supervisor(node).sweeps == sweeps + 2);
}

TEST_CASE("row 44: a completion that is on its way to disk when complete-by passes wins over the supervisor") {
  one_node node;
  node.agent("hotel").follow(scripted_agent::hang);
  node.submit("t1");
  const auto order = node.agent("hotel").last();
  node.advance(order.complete_by - node.now() - 1ms);
  node.agent("hotel").say(node.system(), *scripted_agent::succeed(order));
  node.run_until_next<write_requests>("store_actor");
  node.system().move_clock(1500ms);
  while (node.system().trigger_due_timer()) {
  }
  node.run();
  CHECK(node.state("t1") == "processed");
  CHECK(node.task("t1").failure_count == 0);
  CHECK(node.agent("hotel").orders().size() == 1);
}

TEST_CASE("timers of attempts that are over and ticks of nobody do no harm") {
  one_node node;
  node.agent("hotel").follow(scripted_agent::hang);
  node.submit("t1");
  const auto first = node.agent("hotel").last();
  node.advance(20s);
  auto failed = report_on(first, report_kind::failed_transient, "not now");
  node.agent("hotel").say(node.system(), failed);
  node.advance(1s);
  REQUIRE(node.agent("hotel").last().attempt == 2);
  for (const std::uint64_t generation : {0ULL, 1ULL, 2ULL, 99'999ULL}) {
    node.system().tell(caf::strong_actor_ptr{}, node.schedulers[0], actors::tick_timer{generation});
    node.system().tell(caf::strong_actor_ptr{}, node.supervisor, actors::tick_timer{generation});
    node.system().tell(caf::strong_actor_ptr{}, node.lease, actors::tick_timer{generation});
  }
  node.advance(29'999ms); // past complete-by of attempt 1
  CHECK(node.step_state("t1", 0) == "running");
  CHECK(node.task("t1").steps[0].attempt == 2);
  node.advance(1ms);
  CHECK(node.step_state("t1", 0) == "unknown");
}

TEST_CASE("a task whose scheduler sleeps through a wake-up is taken from it") {
  tests::node_settings settings;
  settings.schedulers = {"s1", "s2"};
  one_node node{settings};
  node.agent("hotel").follow(scripted_agent::fail(1, report_kind::failed_transient));
  node.submit("t1");
  const auto holder = node.task("t1").locked_by;
  actors::exit_now(node.schedulers[holder == "s1" ? 0 : 1]);
  CHECK(node.reaches("t1", "processed", 10s));
  CHECK(node.task("t1").lock_epoch == 2);
  CHECK(node.task("t1").failure_count == 0);
}
