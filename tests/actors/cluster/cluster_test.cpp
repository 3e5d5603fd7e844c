// Several nodes and one store, with the network left out: who runs what, and what becomes of it when a node is lost.

#include "simulation/judge/count_all.hpp"
#include "tests/actors/neighbour.hpp"
#include "tests/actors/shown.hpp"
#include "workflow/supervision/node_card.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

using namespace steadfast;
using namespace std::chrono_literals;
using Catch::Matchers::StartsWith;
using tests::neighbour;
using tests::scripted_agent;

namespace {

/// The node with the store, which runs no tasks itself.
struct cluster {
  explicit cluster(workflow::definition runs = tests::trip()) : home{without_schedulers(std::move(runs))} {}

  tests::one_node home;
  tests::address_book book{home};
  actors::node_offer offer = open_home(home, book);

  static tests::node_settings without_schedulers(workflow::definition runs) {
    tests::node_settings s;
    s.definitions = {std::move(runs)};
    s.schedulers.clear();
    return s;
  }

  std::string locked_by(const std::string& id) { return home.task(id).locked_by; }
  /// Until the nodes have found each other and hold their leases.
  void settle() { home.advance(6s); }
  bool is_locked_by(const std::string& id, const std::string& node, workflow::span at_most) {
    return home.system().advance_until([&] { return locked_by(id) == node; }, at_most);
  }
};

/// A trip whose steps are under way at the same time.
workflow::definition two_at_once() {
  auto d = tests::trip();
  d.steps[1].after.emplace();
  return d;
}

tests::neighbour_settings only_agents() {
  tests::neighbour_settings s;
  s.has_scheduler = false;
  return s;
}

/// Asks the store for a figure; the error it got instead of one.
std::shared_ptr<std::string> begin_to_count(cluster& c, const actors::store_link_actor& link) {
  auto why = std::make_shared<std::string>();
  c.home.system().system().spawn([why, link](caf::event_based_actor* self) {
    actors::ask(self, link, 60s, actors::count_tasks{})
      .then([](const actors::task_count&) {},
            [why](const caf::error& e) { *why = e.context().get_as<std::string>(0); });
  });
  return why;
}

/// The node knows the clock of the store's node exactly, and by that name.
actors::clock_lead follow(workflow::instant set_at, workflow::instant now) {
  return {{0ms, 0ms, now}, set_at};
}

std::size_t orders_at(neighbour& n, const std::string& step) {
  return n.agent(step).orders_of(step).size();
}

} // namespace

TEST_CASE("a task is run by a scheduler on a node without a store") {
  cluster c;
  neighbour b{c.home, c.book, "b"};
  c.settle();
  c.home.submit("t1");
  CHECK(c.home.state("t1") == "processed");
  CHECK(orders_at(b, "hotel") == 1);
}

TEST_CASE("row 18: what a dead node had in flight is run by another as soon as its lease has ended") {
  cluster c;
  neighbour b{c.home, c.book, "b"};
  neighbour d{c.home, c.book, "d"};
  b.agent("hotel").follow(scripted_agent::hang);
  d.agent("hotel").follow(scripted_agent::hang);
  c.settle();
  c.home.submit("t1");
  auto& lost = c.locked_by("t1") == "b" ? b : d;
  auto& other = &lost == &b ? d : b;
  REQUIRE(c.locked_by("t1") == lost.name);
  const auto at = c.home.now();
  lost.crash();
  // The lease lasts 10 s, a sweep comes every second; the step itself might take 30 s.
  CHECK(c.is_locked_by("t1", other.name, 12s));
  CHECK(c.home.now() - at >= 7s);
  other.agent("hotel").say(c.home.system(), *scripted_agent::succeed(other.agent("hotel").last()));
  CHECK(c.home.reaches("t1", "processed", 1s));
  CHECK(c.home.broken_invariants().empty());
}

TEST_CASE("row 18: a node that renews its lease late and is lost again is cleaned up after each time") {
  cluster c;
  const store::lease_guard ghost{"node/ghost", 1};
  const auto takes = [&] {
    return c.home.store()
      .commit({store::claim_tasks{"ghost", 1, c.home.now(), ghost}})
      .at(0)
      .as<store::claim_result>()
      .tasks.size();
  };
  c.home.store().commit({store::acquire_lease{ghost.name, "ghost", {}, 10s, c.home.now()}});
  c.home.submit("t1");
  REQUIRE(takes() == 1);
  c.home.advance(15s);
  REQUIRE(c.locked_by("t1").empty());
  CHECK(takes() == 0);
  c.home.store().commit({store::renew_lease{ghost.name, "ghost", ghost.epoch, 10s, c.home.now()}});
  c.home.advance(2s);
  REQUIRE(takes() == 1);
  c.home.advance(15s);
  CHECK(c.locked_by("t1").empty());
}

TEST_CASE("row 18: of a lost node that had more in flight than one write frees, all is freed") {
  cluster c;
  constexpr std::size_t tasks = 1100;
  REQUIRE(tasks > store::free_locks{}.max);
  const store::lease_guard ghost{"node/ghost", 1};
  c.home.store().commit({store::acquire_lease{ghost.name, "ghost", {}, 10s, c.home.now()}});
  std::vector<store::write> submitted;
  for (std::size_t i = 0; i < tasks; ++i)
    submitted.push_back(store::submit_task{c.home.order_for("t" + std::to_string(i)), c.home.now()});
  c.home.store().commit(submitted);
  REQUIRE(c.home.store()
            .commit({store::claim_tasks{"ghost", tasks, c.home.now(), ghost}})
            .at(0)
            .as<store::claim_result>()
            .tasks.size()
          == tasks);
  store::task_filter of_the_ghost;
  of_the_ghost.locked_by = "ghost";
  REQUIRE(simulation::count_all(c.home.store(), of_the_ghost) == tasks);
  c.home.advance(15s); // the lease lasts 10 s, a sweep comes every second
  CHECK(simulation::count_all(c.home.store(), of_the_ghost) == 0);
}

TEST_CASE(
  "row 18: what a lost node took while nobody supervised is freed, though it had been cleaned up after before") {
  cluster c;
  const store::lease_guard ghost{"node/ghost", 1};
  c.home.store().commit({store::acquire_lease{ghost.name, "ghost", {}, 10s, c.home.now()}});
  c.home.advance(15s); // its end is known
  store::lease supervises;
  for (const auto& l : c.home.store().leases({workflow::never}))
    if (l.name == "supervisor")
      supervises = l;
  REQUIRE(supervises.epoch == 1);
  c.home.store().commit({store::release_lease{"supervisor", supervises.holder, supervises.epoch},
                         store::acquire_lease{"supervisor", "another", {}, 20s, c.home.now()}});
  c.home.advance(4s); // it hears of that
  c.home.store().commit({store::renew_lease{ghost.name, "ghost", ghost.epoch, 5s, c.home.now()},
                         store::submit_task{c.home.order_for("t1"), c.home.now()}});
  REQUIRE(c.home.store()
            .commit({store::claim_tasks{"ghost", 1, c.home.now(), ghost}})
            .at(0)
            .as<store::claim_result>()
            .tasks.size()
          == 1);
  c.home.advance(20s); // its step might take 30 s
  CHECK(c.locked_by("t1").empty());
}

TEST_CASE("a node that stops in good order gives its lease back, and its tasks are free at once") {
  cluster c;
  neighbour b{c.home, c.book, "b"};
  b.agent("hotel").follow(scripted_agent::hang);
  c.settle();
  c.home.submit("t1");
  REQUIRE(c.locked_by("t1") == "b");
  c.home.system().ask<actors::drained>(b.lease, actors::drain{0s});
  CHECK(c.is_locked_by("t1", "", 2s));
}

TEST_CASE("work is spread: a step goes to the agent with the fewest in flight, whichever node it is on") {
  cluster c;
  neighbour b{c.home, c.book, "b"};
  neighbour e{c.home, c.book, "e", only_agents()};
  neighbour f{c.home, c.book, "f", only_agents()};
  for (auto* n : {&b, &e, &f})
    n->agent("hotel").follow(scripted_agent::hang);
  c.settle();
  for (int i = 0; i < 30; ++i)
    c.home.submit("t" + std::to_string(i));
  CHECK(orders_at(b, "hotel") == 10);
  CHECK(orders_at(e, "hotel") == 10);
  CHECK(orders_at(f, "hotel") == 10);
}

TEST_CASE("row 23: an attempt that one node's agent let expire is tried again on another node") {
  cluster c;
  neighbour b{c.home, c.book, "b"};
  neighbour e{c.home, c.book, "e", only_agents()};
  b.agent("hotel").follow(scripted_agent::hang);
  e.agent("hotel").follow(scripted_agent::hang);
  c.settle();
  c.home.submit("t1");
  auto& first = orders_at(b, "hotel") == 1 ? b : e;
  auto& second = &first == &b ? e : b;
  REQUIRE(orders_at(second, "hotel") == 0);
  second.agent("hotel").follow(scripted_agent::succeed);
  CHECK(c.home.reaches("t1", "processed", 5min));
  CHECK(orders_at(first, "hotel") == 1);
  CHECK(orders_at(second, "hotel") == 1);
}

TEST_CASE("row 36: a node that is gone gets no more orders once its lease has ended") {
  cluster c;
  neighbour b{c.home, c.book, "b"};
  neighbour e{c.home, c.book, "e", only_agents()};
  c.settle();
  e.crash();
  c.home.advance(15s);
  for (int i = 0; i < 10; ++i)
    c.home.submit("t" + std::to_string(i));
  for (int i = 0; i < 10; ++i)
    CHECK(c.home.state("t" + std::to_string(i)) == "processed");
}

TEST_CASE("row 36: agents of a node whose lease has ended get no orders, though the node is connected") {
  cluster c;
  auto& node = c.home.system();
  scripted_agent at_home; // of the node that is always connected: it has the store
  c.offer.agents.push_back({"agent_of_hotel", "home", at_home.spawn(node)});
  c.book.add(tests::home_address, {node.keep(actors::spawn_front(node.system(), {c.offer, node.clock()}))});
  const workflow::node_card card{"home", tests::home_address, {true, false, false, true}, {"agent_of_hotel"}};
  const auto its_lease = workflow::node_lease_name(card.name);
  c.home.store().commit({store::acquire_lease{its_lease, card.name, note_of(card), 10s, c.home.now()}}); // not renewed
  neighbour b{c.home, c.book, "b"};
  neighbour e{c.home, c.book, "e", only_agents()};
  c.settle();
  for (int i = 0; i < 30; ++i)
    c.home.submit("before" + std::to_string(i));
  const auto before = std::pair{at_home.orders().size(), orders_at(e, "hotel")};
  REQUIRE(before.first > 0);
  REQUIRE(before.second > 0);
  actors::exit_now(e.lease, caf::exit_reason::kill); // the node lives on
  c.home.advance(15s);
  for (int i = 0; i < 30; ++i)
    c.home.submit("after" + std::to_string(i));
  CHECK(at_home.orders().size() == before.first);
  CHECK(orders_at(e, "hotel") == before.second);
  for (int i = 0; i < 30; ++i)
    CHECK(c.home.state("after" + std::to_string(i)) == "processed");
}

TEST_CASE("P28: a node that is gone is dialled no more once its lease has ended") {
  cluster c;
  neighbour b{c.home, c.book, "b"};
  neighbour e{c.home, c.book, "e", only_agents()};
  c.settle();
  const auto known = c.book.dials("e:1");
  REQUIRE(known > 0);
  e.crash();
  c.home.advance(15s);
  const auto while_it_was_alive = c.book.dials("e:1");
  CHECK(while_it_was_alive > known);
  c.home.advance(10min);
  CHECK(c.book.dials("e:1") == while_it_was_alive);
}

TEST_CASE("P28: a node that has ended dials nobody any more") {
  cluster c;
  neighbour b{c.home, c.book, "b"};
  neighbour e{c.home, c.book, "e", only_agents()};
  c.settle();
  b.crash();
  e.crash();
  const auto before = c.book.dials("e:1");
  c.home.advance(1h);
  CHECK(c.book.dials("e:1") == before);
}

TEST_CASE("row 45: which nodes live is learnt again after it could not be read for a while") {
  cluster c;
  neighbour b{c.home, c.book, "b"};
  c.settle();
  c.home.store().fail_reads(true);
  c.home.advance(5s);
  c.home.store().fail_reads(false);
  neighbour e{c.home, c.book, "e", only_agents()};
  c.settle();
  for (int i = 0; i < 10; ++i)
    c.home.submit("t" + std::to_string(i));
  CHECK(orders_at(e, "hotel") > 0);
}

TEST_CASE("row 45: which nodes live is learnt as soon as the store is reached") {
  cluster c;
  neighbour b{c.home, c.book, "b"};
  c.settle();
  const auto before = c.home.now();
  neighbour e{c.home, c.book, "e"};
  auto& node = c.home.system();
  const auto known = [&] {
    const auto page = node.ask<actors::lease_page>(e.membership, actors::list_leases{}).value();
    return std::any_of(page.leases.begin(), page.leases.end(), [](const auto& l) { return l->name == "node/b"; });
  };
  CHECK(node.advance_until(known, 500ms));
  CHECK(c.home.now() - before <= 500ms);
}

TEST_CASE("a node that joins one without a store is told so, and takes it for none") {
  cluster c;
  auto& node = c.home.system();
  auto offer = c.offer;
  offer.store_actor = actors::store_actor{};
  offer.reader = actors::reader_actor{};
  c.book.add(tests::home_address, {node.keep(actors::spawn_front(node.system(), {offer, node.clock()}))});
  neighbour b{c.home, c.book, "b"};
  c.settle();
  const auto peers = tests::peers_shown_by(node, b.membership);
  REQUIRE(peers.size() == 1);
  CHECK_FALSE(peers[0].connected);
  CHECK_THAT(peers[0].trouble, Catch::Contains("node `home` has not the store"));
}

TEST_CASE("P34: a node is taken for no more than its connection says that it is") {
  cluster c;
  std::string why;
  SECTION("another node") {
    c.book.add(tests::home_address, {c.book.at(tests::home_address), "c", true});
    why = "it says that it is `home`, and the connection is to `c`";
  }
  SECTION("one that may have no store") {
    c.book.add(tests::home_address, {c.book.at(tests::home_address), "home", false});
    why = "it offers a store, and its certificate is not for that";
  }
  neighbour b{c.home, c.book, "b"};
  c.settle();
  const auto peers = tests::peers_shown_by(c.home.system(), b.membership);
  REQUIRE(peers.size() == 1);
  CHECK_FALSE(peers[0].connected);
  CHECK(peers[0].trouble == why);
}

TEST_CASE("a peer that is lost again and again is dialled as soon each time") {
  cluster c;
  neighbour b{c.home, c.book, "b"};
  neighbour e{c.home, c.book, "e", only_agents()};
  c.settle();
  auto& node = c.home.system();
  const auto is_connected = [&] { return tests::peers_shown_by(node, b.membership).at(0).connected; };
  REQUIRE(is_connected());
  for (int i = 0; i < 10; ++i) {
    actors::exit_now(std::exchange(e.front, {}), caf::exit_reason::kill);
    c.home.run();
    REQUIRE_FALSE(is_connected());
    e.front = node.keep(actors::spawn_front(node.system(), {{"e", {}, {}, {}, {}}, node.clock()}));
    c.book.add("e:1", {e.front});
    CHECK(node.advance_until(is_connected, 1s));
  }
}

TEST_CASE("a node that accepts connections and does not answer is dialled again") {
  cluster c;
  neighbour b{c.home, c.book, "b"};
  neighbour e{c.home, c.book, "e", only_agents()};
  actors::exit_now(std::exchange(e.front, {}), caf::exit_reason::kill); // it is in the book all the same
  c.settle();
  auto& node = c.home.system();
  const auto e_as_b_sees_it = [&] { return tests::peers_shown_by(node, b.membership).at(0); };
  CHECK_FALSE(e_as_b_sees_it().connected);
  CHECK(e_as_b_sees_it().trouble == "it accepts connections and does not answer");
  e.front = node.keep(actors::spawn_front(node.system(), {{"e", {}, {}, {}, {}}, node.clock()}));
  c.book.add("e:1", {e.front});
  CHECK(node.advance_until([&] { return e_as_b_sees_it().connected; }, 10s));
}

TEST_CASE("row 19: a scheduler that hangs loses its node's lease, and its tasks go to another") {
  cluster c;
  neighbour b{c.home, c.book, "b"};
  b.agent("hotel").follow(scripted_agent::hang);
  c.settle();
  c.home.submit("t1");
  REQUIRE(c.locked_by("t1") == "b");
  actors::exit_now(b.scheduler, caf::exit_reason::kill); // its lease actor lives
  neighbour d{c.home, c.book, "d"};
  d.agent("hotel").follow(scripted_agent::hang);
  CHECK(c.is_locked_by("t1", "d", 20s));
}

TEST_CASE("row 45: while the store is away submissions are pushed back, attempts go on, and all goes on by itself") {
  cluster c;
  neighbour b{c.home, c.book, "b"};
  b.agent("hotel").follow(scripted_agent::hang);
  c.settle();
  c.home.submit("t1");
  b.lose_store();
  c.home.run();
  auto& node = c.home.system();
  const auto receipt =
    node.ask<actors::receipt>(b.link, actors::boxed<workflow::submission>{c.home.order_for("t2")}).value();
  CHECK(receipt.id == "t2");
  CHECK(receipt.result == store::write_status::full);
  CHECK(receipt.retry_after > 0ms);
  CHECK(receipt.why == "the store cannot be reached: the cable is cut");
  b.agent("hotel").say(node, *scripted_agent::succeed(b.agent("hotel").last()));
  c.home.advance(5s);
  CHECK(c.home.step_state("t1", 0) == "running"); // nobody could store it
  b.find_store();
  CHECK(c.home.reaches("t1", "processed", 5s));
  CHECK(orders_at(b, "hotel") == 1);
}

TEST_CASE("row 45: a question on its way when the connection to the store breaks is answered at once") {
  cluster c;
  neighbour b{c.home, c.book, "b"};
  c.settle();
  const auto why = begin_to_count(c, b.link);
  c.home.run_until_next<actors::count_tasks>("reader");
  b.lose_store();
  c.home.run();
  CHECK(*why == "the connection to the store broke; ask again (the cable is cut)");
}

TEST_CASE("row 150: an act is told as unknown if it was on its way when the connection to the store broke") {
  cluster c;
  neighbour b{c.home, c.book, "b"};
  b.agent("hotel").follow(scripted_agent::hang);
  c.settle();
  c.home.submit("t1");
  auto& node = c.home.system();
  const auto gateway = node.keep(actors::spawn_gateway(node.system(), {b.link, b.link, c.home.notifier, node.clock()}));
  const actors::act_on_task m{"t1", workflow::task_act::suspend, {}, {}, false, "grace", "because"};
  const auto answer = node.begin_to_ask<actors::act_result>(gateway, m);
  c.home.run_until_next<actors::write_requests>("store_actor", [](const actors::write_requests& r) {
    const auto* const u = std::get_if<store::update_task>(&*r.all.at(0).what);
    return u != nullptr && !u->next.acts.empty();
  });
  b.lose_store();
  c.home.run();
  REQUIRE(answer->has_value());
  CHECK((*answer)->refusal == actors::act_refusal::unknown);
  CHECK_THAT((*answer)->why, StartsWith("it is not known whether this was done"));
  CHECK(c.home.state("t1") == "suspended");

  const actors::act_on_task resume{"t1", workflow::task_act::resume, {}, {}, false, "grace", "because"};
  const auto not_sent = node.begin_to_ask<actors::act_result>(gateway, resume);
  c.home.run();
  REQUIRE(not_sent->has_value());
  CHECK((*not_sent)->refusal == actors::act_refusal::not_now);
  CHECK_THAT((*not_sent)->why, StartsWith("nothing was done, since the task could not be read: the store cannot be "));
  CHECK(c.home.state("t1") == "suspended");
}

TEST_CASE("row 45: what came while the store was away is taken up as soon as it is back") {
  cluster c;
  neighbour b{c.home, c.book, "b"};
  c.settle();
  b.lose_store();
  c.home.run();
  c.home.store().commit({store::submit_task{c.home.order_for("t1"), c.home.now()}}); // nobody tells of it
  c.home.advance(2s);
  REQUIRE(c.home.state("t1") == "pending");
  b.find_store();
  c.home.run();
  CHECK(c.home.state("t1") == "processed");
}

TEST_CASE("a scheduler beyond the link hears at once what a person does to one of its tasks") {
  cluster c;
  neighbour b{c.home, c.book, "b"};
  b.agent("hotel").follow(scripted_agent::hang);
  c.settle();
  c.home.submit("t1");
  REQUIRE(c.locked_by("t1") == "b");
  CHECK(c.home.act("t1", actors::task_act::undo).done);
  c.home.run();
  CHECK(b.agent("hotel").stops().size() == 1);
}

TEST_CASE("row 46: a node that cannot renew its lease takes no more work before the lease has ended") {
  cluster c;
  neighbour b{c.home, c.book, "b"};
  c.settle();
  b.lose_store();
  c.home.advance(8s); // ttl without margin
  b.find_store();
  c.home.submit("t1");
  CHECK(c.home.state("t1") == "pending");
  c.home.advance(10s); // the lease is won again
  CHECK(c.home.state("t1") == "processed");
  CHECK(c.home.task("t1").takeovers == 0);
}

TEST_CASE("row 46: calls for a task that was lost to another node are not wanted any more") {
  cluster c{two_at_once()};
  neighbour b{c.home, c.book, "b"};
  neighbour d{c.home, c.book, "d"};
  for (auto* n : {&b, &d})
    for (const auto* step : {"hotel", "flight"})
      n->agent(step).follow(scripted_agent::hang);
  c.settle();
  c.home.submit("t1");
  auto& lost = c.locked_by("t1") == "b" ? b : d;
  auto& other = &lost == &b ? d : b;
  REQUIRE(c.locked_by("t1") == lost.name);
  lost.lose_store();
  REQUIRE(c.is_locked_by("t1", other.name, 15s));
  lost.find_store();
  c.home.advance(1s);
  REQUIRE(c.home.task("t1").lock_epoch == 2);
  // Of two attempts one ends, and the answer shows that the task is another node's by now.
  auto& first = orders_at(b, "hotel") > 0 ? b : d;
  const auto order = first.agent("hotel").orders().front();
  REQUIRE(order.epoch == 1);
  c.home.system().tell(caf::strong_actor_ptr{}, lost.scheduler,
                       actors::attempt_reports{{*scripted_agent::succeed(order)}});
  c.home.run();
  std::size_t stopped = 0;
  for (auto* n : {&b, &d})
    for (const auto& s : n->agent("flight").stops())
      stopped += s.epoch == 1 ? 1 : 0;
  CHECK(stopped == 1);
  CHECK(c.home.late_replies("t1").size() == 1);
}

TEST_CASE("row 64: a change whose answer was lost with the connection is made once") {
  cluster c;
  neighbour b{c.home, c.book, "b"};
  c.settle();
  c.home.begin_to_submit("t1");
  // The answer to the change that completes `hotel` is on its way to the link.
  c.home.run_until_next<actors::writes_done>("store_link", [&](const actors::writes_done&) {
    return c.home.store().find("t1").has_value() && c.home.step_state("t1", 0) == "completed";
  });
  b.lose_store();
  c.home.advance(3s);
  b.find_store();
  CHECK(c.home.reaches("t1", "processed", 20s));
  CHECK(orders_at(b, "hotel") == 1);
  CHECK(orders_at(b, "flight") <= 2);
  CHECK(c.home.broken_invariants().empty());
}

TEST_CASE("row 7: a claim whose answer was lost is not forgotten: what was locked by it is taken again") {
  cluster c;
  neighbour b{c.home, c.book, "b"};
  c.settle();
  c.home.begin_to_submit("t1");
  c.home.run_until_next<actors::writes_done>("store_link", [&](const actors::writes_done&) {
    return c.home.store().find("t1").has_value() && c.locked_by("t1") == "b";
  });
  b.lose_store();
  c.home.advance(3s);
  CHECK(orders_at(b, "hotel") == 0);
  b.find_store();
  CHECK(c.home.reaches("t1", "processed", 20s));
  CHECK(orders_at(b, "hotel") == 1);
}

TEST_CASE("what a node knows of the others can be looked at, and says why one is not connected") {
  cluster c;
  neighbour b{c.home, c.book, "b"};
  neighbour e{c.home, c.book, "e", only_agents()};
  c.settle();
  auto& node = c.home.system();
  auto peers = tests::peers_shown_by(node, b.membership);
  REQUIRE(peers.size() == 2);
  CHECK(peers[0].node == "e");
  CHECK(peers[0].connected);
  CHECK(peers[1].node == "home");
  actors::exit_now(e.front, caf::exit_reason::kill);
  c.book.remove("e:1");
  c.home.advance(2s);
  peers = tests::peers_shown_by(node, b.membership);
  CHECK_FALSE(peers[0].connected);
  CHECK(peers[0].trouble == "nobody is there");
}

TEST_CASE("row 2: a submission whose answer is lost with the connection is told that nobody knows, and is made once") {
  cluster c;
  neighbour b{c.home, c.book, "b"};
  c.settle();
  auto& node = c.home.system();
  const auto answer =
    node.begin_to_ask<actors::receipt>(b.link, actors::boxed<workflow::submission>{c.home.order_for("t1")});
  c.home.run_until_next<actors::receipt>("store_link"); // stored
  b.lose_store();
  c.home.run();
  REQUIRE(answer->has_value());
  CHECK(answer->value().result == store::write_status::unknown_outcome);
  b.find_store();
  c.home.run();
  const auto again =
    node.ask<actors::receipt>(b.link, actors::boxed<workflow::submission>{c.home.order_for("t1")}).value();
  CHECK(again.result == store::write_status::applied);
  CHECK_FALSE(again.created);
}

TEST_CASE("news of the store's node that leave the store where it is cut nothing off") {
  cluster c;
  neighbour b{c.home, c.book, "b"};
  c.settle();
  auto& node = c.home.system();
  const auto subscribers = [&] { return tests::shown_by(node, c.home.store_actor).at("subscribers").size(); };
  const auto before = subscribers();
  const auto answer =
    node.begin_to_ask<actors::receipt>(b.link, actors::boxed<workflow::submission>{c.home.order_for("t1")});
  c.home.run_until_next<actors::receipt>("store_link");
  const actors::peer_changed drained{tests::home_address, true, c.offer, {}};
  b.link->enqueue(nullptr, caf::make_message_id(caf::message_priority::high), caf::make_message(drained), nullptr);
  c.home.run();
  REQUIRE(answer->has_value());
  CHECK(answer->value().result == store::write_status::applied);
  CHECK(subscribers() == before); // it has not subscribed again
}

TEST_CASE("P28: at rest nothing is on its way to the store of another node") {
  cluster c;
  neighbour b{c.home, c.book, "b"};
  c.settle();
  for (int i = 0; i < 10; ++i)
    c.home.system().ask<actors::receipt>(
      b.link, actors::boxed<workflow::submission>{c.home.order_for("t" + std::to_string(i))});
  c.home.advance(1min);
  REQUIRE(c.home.state("t9") == "processed");
  const auto state =
    nlohmann::json::parse(c.home.system().ask<actors::actor_state>(b.link, actors::inspect_state{10}).value().tree);
  CHECK(state.at("connected") == true);
  for (const auto* what : {"writes_on_their_way", "submissions_on_their_way", "questions_on_their_way"})
    CHECK(state.at(what) == 0);
}

TEST_CASE("P28: no more submissions than the bound are on their way to a store that does not answer") {
  cluster c;
  neighbour b{c.home, c.book, "b"};
  c.settle();
  auto& node = c.home.system();
  constexpr std::size_t bound = 1024;
  constexpr std::size_t above = 10;
  std::vector<std::shared_ptr<std::optional<actors::receipt>>> answers;
  for (std::size_t i = 0; i < bound + above; ++i)
    answers.push_back(node.begin_to_ask<actors::receipt>(
      b.link, actors::boxed<workflow::submission>{c.home.order_for("t" + std::to_string(i))}));
  const auto is_stores_turn = [&node] {
    return node.next_for<actors::boxed<workflow::submission>>("store_actor") != nullptr
           || node.next_for<actors::flush>("store_actor") != nullptr;
  };
  while (node.ready() > 1 || !is_stores_turn()) {
    if (is_stores_turn())
      node.choose(1);
    REQUIRE(node.step());
  }
  std::size_t pushed_back = 0;
  for (const auto& a : answers)
    if (a->has_value()) {
      CHECK((*a)->result == store::write_status::full);
      CHECK((*a)->retry_after > 0ms);
      ++pushed_back;
    }
  CHECK(pushed_back == above);
  c.home.run();
  CHECK(simulation::count_all(c.home.store()) == bound);
}

TEST_CASE(
  "row 50: what a scheduler was told by another clock than its node follows now is ordered by that one, which no "
  "agent follows any more") {
  cluster c;
  const auto told_by = c.home.system().clock().set_at;
  tests::neighbour_settings settings;
  settings.lead = std::make_shared<actors::shared_lead>();
  settings.lead->set(follow(told_by, c.home.now()));
  neighbour b{c.home, c.book, "b", settings};
  b.agent("hotel").follow(scripted_agent::hang);
  c.settle();
  c.home.begin_to_submit("t1");
  SECTION("an answer to a claim") {
    c.home.run_until_next<actors::writes_done>("scheduler", [](const actors::writes_done& m) {
      return !m.all.at(0).outcome->as<store::claim_result>().tasks.empty();
    });
  }
  SECTION("a task that it has read again") {
    c.home.run();
    REQUIRE(orders_at(b, "hotel") == 1);
    auto changed = c.home.task("t1");
    changed.steps.change(0).attempt = changed.steps.change(0).log.change().back().number = 2;
    store::update_task u;
    u.next = changed;
    u.lock_epoch_before = changed.lock_epoch;
    REQUIRE(c.home.store().commit({std::move(u)}).at(0).result == store::write_status::applied);
    c.home.system().tell(c.home.gateway, b.scheduler, actors::store_news{false, false, false, false, {changed.number}});
    c.home.run_until_next<actors::task_view>("scheduler");
  }
  settings.lead->set(follow(told_by + 1h, c.home.now()));
  c.home.run();
  REQUIRE(orders_at(b, "hotel") > 0);
  CHECK(b.agent("hotel").last().clock == told_by);
}
