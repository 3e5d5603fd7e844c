// The store actor: many writes in one commit, and what happens when a commit goes wrong.

#include "simulation/judge/count_all.hpp"
#include "tests/actors/one_node.hpp"
#include "tests/actors/shown.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>

using namespace steadfast;
using namespace std::chrono_literals;
using actors::report_kind;
using tests::one_node;
using tests::report_on;
using tests::scripted_agent;
using tests::store_tap;

namespace {

using receipts = std::vector<std::shared_ptr<std::optional<actors::receipt>>>;

/// Submissions that are all in the store actor's mailbox before it looks into it.
receipts submit_at_once(one_node& node, int count, const std::string& prefix = "t") {
  receipts answers;
  for (int i = 0; i < count; ++i)
    answers.push_back(node.system().begin_to_ask<actors::receipt>(
      node.store_actor, actors::boxed<workflow::submission>{node.order_for(prefix + std::to_string(i))}));
  return answers;
}

tests::node_settings without_schedulers() {
  tests::node_settings settings;
  settings.schedulers = {};
  settings.has_supervisor = false;
  return settings;
}

/// Commits to it cannot be put off.
class without_journal : public store::wrapped_store {
public:
  explicit without_journal(store_tap& to) : to_{to} {}
  void share(std::function<void()>) override { throw store::store_error{"there is no journal: no room", false}; }

private:
  local_store& real() const override { return to_; }

  store_tap& to_;
};

/// Two commits are on their way at a time. Those before `refused_from` are made, the later ones are not.
class far_away : public store::wrapped_store {
public:
  explicit far_away(store_tap& to) : to_{to} {}
  std::size_t commits_at_once() const override { return 2; }
  commit_end begin_commit(const store::write_list& batch) override {
    const auto n = ++begun_;
    most = std::max(most, begun_ - ended_);
    if (on_begin)
      on_begin();
    if (n >= refused_from)
      return [this, n]() -> std::vector<store::outcome> {
        end(n);
        throw store::store_error{"the server did not take it", false};
      };
    return [this, n, outcomes = to_.commit(batch)] {
      end(n);
      return outcomes;
    };
  }

  int most = 0; ///< under way at a time
  int refused_from = std::numeric_limits<int>::max();
  bool is_in_order = true;
  std::function<void()> on_begin;
  int begun() const { return begun_; }

private:
  void end(int n) { is_in_order = ++ended_ == n && is_in_order; }
  local_store& real() const override { return to_; }

  store_tap& to_;
  int begun_ = 0;
  int ended_ = 0;
};

/// Who watches every task.
struct news_heard {
  std::vector<actors::store_news> seen;
  actors::store_client handle;

  explicit news_heard(one_node& node)
      : handle{
        node.system().system().spawn([this](actors::store_client::pointer) -> actors::store_client::behavior_type {
          return {[](const actors::writes_done&) {}, [this](const actors::store_news& m) { seen.push_back(m); }};
        })} {
    node.system().tell(handle, node.store_actor, actors::subscribe{actors::every_task});
    node.run();
  }

  /// That anything may have changed.
  auto times_told_of_any() const {
    return std::count_if(seen.begin(), seen.end(), [](const auto& m) { return m.work && m.review && m.notices; });
  }
  bool is_told_of(std::uint64_t number) const {
    return std::any_of(seen.begin(), seen.end(),
                       [&](const auto& m) { return std::count(m.changed.begin(), m.changed.end(), number) > 0; });
  }
};

/// Whether the commit records the completion of a step.
bool completes(const store::write_list& batch) {
  for (const auto* w : batch)
    if (const auto* u = std::get_if<store::update_task>(w); u && u->next.steps[0].completed_order != 0)
      return true;
  return false;
}

bool claims(const store::write_list& batch) {
  for (const auto* w : batch)
    if (std::holds_alternative<store::claim_tasks>(*w))
      return true;
  return false;
}

} // namespace

TEST_CASE("submissions that wait together are made durable by one commit") {
  one_node node{without_schedulers()};
  node.run();
  const auto before = node.store().batches().size();
  const auto answers = submit_at_once(node, 100);
  node.run();
  CHECK(node.store().batches().size() == before + 1);
  CHECK(node.store().batches().back() == 100);
  for (const auto& a : answers)
    CHECK(a->value().created);
}

TEST_CASE("what arrives during a commit goes into the next one") {
  one_node node{without_schedulers()};
  node.run();
  receipts later;
  node.store().on_commit = [&](const store::write_list&) {
    if (later.empty())
      later = submit_at_once(node, 30, "later");
  };
  const auto before = node.store().batches().size();
  submit_at_once(node, 10);
  node.run();
  const auto& batches = node.store().batches();
  REQUIRE(batches.size() == before + 2);
  CHECK(batches[before] == 10);
  CHECK(batches[before + 1] == 30);
  for (const auto& a : later)
    CHECK(a->value().created);
}

TEST_CASE("a commit takes no more writes than its bound, the rest follows in the next") {
  auto settings = without_schedulers();
  settings.batch_max = 8;
  one_node node{settings};
  node.run();
  const auto before = node.store().batches().size();
  submit_at_once(node, 20);
  node.run();
  const auto& batches = node.store().batches();
  CHECK(std::vector(batches.begin() + static_cast<std::ptrdiff_t>(before), batches.end())
        == std::vector<std::size_t>{8, 8, 4});
}

TEST_CASE("P23: after commits the store is told to save, each time again") {
  one_node node{without_schedulers()};
  node.run();
  for (int i = 0; i < 3; ++i) {
    node.advance(1s);
    const auto before = node.store().saves();
    node.submit("t" + std::to_string(i));
    node.advance(200ms);
    CHECK(node.store().saves() == before + 1);
  }
}

TEST_CASE("a store actor that ends saves what it has committed") {
  one_node node{without_schedulers()};
  node.advance(1s);
  node.submit("t1");
  const auto before = node.store().saves();
  actors::exit_now(node.store_actor);
  node.run();
  CHECK(node.store().saves() == before + 1);
}

TEST_CASE("P28: who listens for news and is gone is forgotten") {
  one_node node{without_schedulers()};
  node.run();
  const auto subscribers = [&node] {
    const auto state = node.system().ask<actors::actor_state>(node.store_actor, actors::inspect_state{100}).value();
    return nlohmann::json::parse(state.tree).at("subscribers").size();
  };
  const auto before = subscribers();
  tests::recorder<actors::store_news> listener{node.system().system()};
  node.system().tell(listener.handle(), node.store_actor, actors::subscribe{});
  node.run();
  REQUIRE(subscribers() == before + 1);
  actors::exit_now(listener.handle());
  node.run();
  CHECK(subscribers() == before);
}

TEST_CASE("row 65: when the backlog is full submissions are pushed back at once, and those taken are durable") {
  auto settings = without_schedulers();
  settings.backlog_max = 5;
  one_node node{settings};
  node.run();
  const auto answers = submit_at_once(node, 20);
  node.run();
  int taken = 0;
  for (const auto& a : answers) {
    const auto& r = a->value();
    taken += r.result == store::write_status::applied ? 1 : 0;
    if (r.result != store::write_status::applied) {
      CHECK(r.result == store::write_status::full);
      CHECK(r.retry_after > 0ms);
    }
  }
  CHECK(taken == 5);
  CHECK(simulation::count_all(node.store()) == 5);
  CHECK(node.submit("again")->created);
}

TEST_CASE(
  "row 65: where each commit takes two seconds leases hold, and what is acknowledged is stored and carried out") {
  one_node node;
  node.run();
  node.store().on_commit = [&node](const store::write_list&) { node.system().move_clock(2s); };
  receipts answers;
  for (int i = 0; i < 20; ++i)
    answers.push_back(node.begin_to_submit("t" + std::to_string(i)));
  node.run();
  for (int i = 0; i < 20; ++i) {
    REQUIRE(answers[static_cast<std::size_t>(i)]->has_value());
    CHECK((*answers[static_cast<std::size_t>(i)])->result == store::write_status::applied);
  }
  const auto view = [&node] { return tests::shown_by_supervisor(node.system(), node.supervisor); };
  std::uint64_t epoch = 0; // a lease that is renewed too late lapses, and is had again
  for (const auto until = node.now() + 5min; node.now() < until; node.run()) {
    REQUIRE(node.system().trigger_timer());
    if (const auto held = view(); held.active) {
      CHECK(held.epoch >= epoch);
      epoch = held.epoch;
    }
  }
  CHECK(node.store().counts().tasks[workflow::process_state::processed] == 20);
  CHECK(node.agent("hotel").orders().size() == 20);
  CHECK(node.broken_invariants().empty());
}

TEST_CASE("row 60: a full store refuses new work and says when to come again, and running tasks are still recorded") {
  tests::node_settings settings;
  settings.size_max = 4 << 20;
  settings.size_reserve = 2 << 20;
  one_node node{settings};
  node.agent("hotel").follow(scripted_agent::hang);
  std::optional<actors::receipt> refused;
  int taken = 0;
  for (; taken < 1000; ++taken) {
    auto order = node.order_for("t" + std::to_string(taken));
    order.payload = workflow::blob{"\"" + std::string(30'000, 'x') + "\""};
    const auto r = node.submit(order);
    REQUIRE(r.has_value());
    if (r->result == store::write_status::full) {
      refused = r;
      break;
    }
    REQUIRE(r->created);
  }
  REQUIRE(refused.has_value());
  CHECK(refused->retry_after > 0ms);
  CHECK(refused->why.find("the store is full, new work is refused: of store.size_max, 4 MiB") == 0);
  CHECK(taken > 10);
  node.agent("hotel").follow(scripted_agent::succeed);
  for (const auto& o : std::vector(node.agent("hotel").orders()))
    node.agent("hotel").say(node.system(), *scripted_agent::succeed(o));
  node.run();
  CHECK(node.fatal().empty());
  for (int i = 0; i < taken; ++i)
    CHECK(node.state("t" + std::to_string(i)) == "processed");
}

TEST_CASE("row 60: a result that finds no room is stored when there is room again, without another order") {
  one_node node;
  node.run();
  node.store().fail_next(store_tap::fault::full, completes);
  node.submit("t1");
  CHECK(node.step_state("t1", 0) == "running");
  node.advance(5s);
  CHECK(node.state("t1") == "processed");
  CHECK(node.agent("hotel").orders().size() == 1);
  CHECK(node.task("t1").failure_count == 0);
}

TEST_CASE("row 60: a claim that finds no room is made later") {
  one_node node;
  node.run();
  node.store().fail_next(store_tap::fault::full, claims);
  node.submit("t1");
  CHECK(node.state("t1") == "pending");
  node.advance(2s);
  CHECK(node.state("t1") == "processed");
}

TEST_CASE("row 64: a completion that was stored and reported as unknown starts the next step once") {
  one_node node;
  node.run();
  node.store().fail_next(store_tap::fault::reported_unknown, completes);
  node.submit("t1");
  CHECK(node.step_state("t1", 0) == "completed");
  CHECK(node.agent("flight").orders().empty()); // it speaks of what it knows to be stored, of nothing else
  node.advance(5s);
  CHECK(node.state("t1") == "processed");
  CHECK(node.agent("hotel").orders().size() == 1);
  CHECK(node.agent("flight").orders().size() == 1);
}

TEST_CASE("row 64: who watches is told of a commit that was unknown once it is known, too") {
  tests::node_settings settings;
  settings.definitions = {tests::pipeline("trip", {tests::step_named("hotel")})};
  settings.has_supervisor = false;
  one_node node{settings};
  auto& hotel = node.agent("hotel");
  hotel.follow(scripted_agent::hang);
  node.submit("t1");
  news_heard heard{node};
  node.store().fail_next(store_tap::fault::reported_unknown, completes);
  hotel.say(node.system(), report_on(hotel.last(), report_kind::succeeded));
  node.run();
  REQUIRE(node.state("t1") == "processed");
  hotel.follow(scripted_agent::succeed);
  node.submit("t2");
  CHECK(heard.times_told_of_any() == 2); // who looked after the first may not have seen it yet
  CHECK(heard.is_told_of(node.task("t1").number));
  heard.seen.clear();
  node.submit("t3");
  CHECK(heard.times_told_of_any() == 0);
}

TEST_CASE("row 64: an attempt that has answered while a commit is unknown is not ordered again") {
  tests::node_settings settings;
  settings.definitions = {tests::pipeline("trip", {tests::step_named("hotel"), tests::step_named("taxi")})};
  settings.definitions[0].steps[1].after.emplace(); // in parallel with the hotel
  one_node node{settings};
  auto& hotel = node.agent("hotel");
  auto& taxi = node.agent("taxi");
  hotel.follow(scripted_agent::hang);
  taxi.follow(scripted_agent::hang);
  node.submit("t1");
  REQUIRE(taxi.orders().size() == 1);
  node.store().fail_next(store_tap::fault::reported_unknown, completes);
  hotel.say(node.system(), report_on(hotel.last(), report_kind::succeeded));
  taxi.say(node.system(), report_on(taxi.last(), report_kind::succeeded));
  node.advance(5s);
  CHECK(node.state("t1") == "processed");
  CHECK(hotel.orders().size() == 1);
  CHECK(taxi.orders().size() == 1);
}

TEST_CASE("row 64: a claim that was stored and reported as unknown is found out soon, and the task goes on") {
  one_node node;
  node.run();
  node.store().fail_next(store_tap::fault::reported_unknown, claims);
  node.submit("t1");
  CHECK(node.agent("hotel").orders().empty());
  CHECK(node.reaches("t1", "processed", 2s));
  CHECK(node.agent("hotel").orders().size() == 1);
  CHECK(node.agent("hotel").last().attempt == 1);
}

TEST_CASE("row 61: after a sync error in a save the process ends, though nothing is committed any more") {
  one_node node;
  node.run();
  node.store().fail_saves();
  node.begin_to_submit("t1");
  CHECK(node.fatal().empty());
  node.advance(1min);
  CHECK(node.fatal() == "the disk failed in a save");
}

TEST_CASE(
  "row 61: after a sync error nothing is acknowledged and nothing more is written, and a restart goes by the disk") {
  for (const auto how : {store_tap::fault::fatal_before, store_tap::fault::fatal_after}) {
    one_node node;
    node.run();
    node.store().fail_next(how);
    const auto answer = node.begin_to_submit("t1");
    node.run();
    CHECK_FALSE(answer->has_value());
    CHECK_FALSE(node.fatal().empty());
    const auto commits = node.store().batches().size();
    const auto other = node.begin_to_submit("t2");
    node.advance(1min);
    CHECK_FALSE(other->has_value());
    CHECK(node.store().batches().size() == commits);
    CHECK(node.agent("hotel").orders().empty());
    node.restart();
    node.run();
    CHECK(simulation::count_all(node.store()) == (how == store_tap::fault::fatal_after ? 1 : 0));
    CHECK(node.submit("t1")->result == store::write_status::applied);
    CHECK(node.state("t1") == "processed");
  }
}

TEST_CASE("an empty submission is refused") {
  one_node node;
  const auto r = node.system().ask<actors::receipt>(node.gateway, actors::boxed<workflow::submission>{});
  REQUIRE(r.has_value());
  CHECK(r->result == store::write_status::refused);
}

TEST_CASE("a read that fails is answered as failed, and the next one succeeds") {
  one_node node;
  node.submit("t1");
  node.store().fail_reads(true);
  CHECK_FALSE(node.system().ask<actors::task_view>(node.gateway, actors::show_task{"t1"}).has_value());
  node.store().fail_reads(false);
  const auto shown = node.system().ask<actors::task_view>(node.gateway, actors::show_task{"t1"});
  REQUIRE(shown.has_value());
  CHECK(shown->task->id == "t1");
}

TEST_CASE("rows 50 and 51: a change that was decided by another clock, or ahead of it, is not stored") {
  one_node node{without_schedulers()};
  node.run();
  node.submit("t1");
  tests::recorder<actors::writes_done> client{node.system().system()};
  const auto result_at = [&](workflow::instant when, workflow::instant clock) {
    store::update_task u;
    u.next = node.task("t1");
    u.next.state = workflow::process_state::suspended;
    actors::write_request r;
    r.what = actors::boxed<store::write>{store::write{std::move(u)}};
    r.decided_by = {when, clock};
    node.system().tell(client.handle(), node.store_actor, actors::write_requests{{r}});
    node.run();
    return client.seen().back().all.at(0).outcome->result;
  };
  const auto clock = node.system().clock().set_at;
  CHECK(result_at(node.now(), workflow::unset) == store::write_status::full);
  CHECK(result_at(node.now(), clock + 1ms) == store::write_status::full);
  CHECK(result_at(node.now() + 1ms, clock) == store::write_status::full);
  CHECK(node.task("t1").state == workflow::process_state::pending);
  CHECK(result_at(node.now(), clock) == store::write_status::applied);
}

TEST_CASE("a store whose commits cannot be put off is written all the same, and its actor says why") {
  one_node node{without_schedulers()};
  auto& system = node.system();
  const auto store = std::make_shared<without_journal>(node.store());
  const auto store_actor =
    system.keep(actors::spawn_store_actor(system.system(), {store, store, system.clock(), 100, 0, {}}, false));
  CHECK(system.ask<actors::receipt>(store_actor, actors::boxed<workflow::submission>{node.order_for("t1")})->created);
  CHECK(node.store().find("t1"));
  const auto state = system.ask<actors::actor_state>(store_actor, actors::inspect_state{}).value();
  CHECK_THAT(state.summary, Catch::Matchers::Contains("saved by itself, since there is no journal: no room"));
}

TEST_CASE("a store that is far away is given a commit while another is under way, and all are answered in order") {
  one_node node{without_schedulers()};
  auto& system = node.system();
  node.run();
  const auto store = std::make_shared<far_away>(node.store());
  store->refused_from = GENERATE(std::numeric_limits<int>::max(), 5);
  const auto store_actor =
    system.keep(actors::spawn_store_actor(system.system(), {store, store, system.clock(), 4, 0, {}}, false));
  receipts answers;
  for (int i = 0; i < 40; ++i)
    answers.push_back(system.begin_to_ask<actors::receipt>(
      store_actor, actors::boxed<workflow::submission>{node.order_for("t" + std::to_string(i))}));
  node.run();
  CHECK(store->begun() == 10);
  CHECK(store->most == 2);
  CHECK(store->is_in_order);
  for (int i = 0; i < 40; ++i) {
    const bool is_made = i / 4 + 1 < store->refused_from;
    CHECK(answers[static_cast<std::size_t>(i)]->value().created == is_made);
    CHECK(answers[static_cast<std::size_t>(i)]->value().result
          == (is_made ? store::write_status::applied : store::write_status::full));
  }
}

TEST_CASE("a store actor that ends answers what is under way") {
  one_node node{without_schedulers()};
  auto& system = node.system();
  node.run();
  const auto store = std::make_shared<far_away>(node.store());
  const auto store_actor =
    system.keep(actors::spawn_store_actor(system.system(), {store, store, system.clock(), 4, 0, {}}, false));
  store->on_begin = [&] { actors::exit_now(store_actor); };
  const auto answer =
    system.begin_to_ask<actors::receipt>(store_actor, actors::boxed<workflow::submission>{node.order_for("t1")});
  node.run();
  CHECK(answer->value().created);
  CHECK(store->is_in_order);
}
