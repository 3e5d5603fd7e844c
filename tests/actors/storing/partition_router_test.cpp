// The actor before the store actors of several partitions: what goes to which of them, when the whole is answered, and
// who hears of what. The store actors and their stores are the real ones.

#include "actors/storing/partition_router.hpp"

#include "actors/storing/reader.hpp"
#include "actors/storing/store_actor.hpp"
#include "store/engine/lmdb_store.hpp"
#include "store/joined/joined_store.hpp"
#include "store/records/record.hpp"
#include "tests/actors/shown.hpp"
#include "tests/actors/store_tap.hpp"
#include "tests/actors/test_node.hpp"
#include "tests/actors/workflows.hpp"
#include "tests/support/fast_place.hpp"
#include "tests/support/temp_folder.hpp"
#include "workflow/task/partition.hpp"

#include <caf/typed_event_based_actor.hpp>
#include <caf/typed_response_promise.hpp>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace steadfast::tests::routing {

using namespace std::chrono_literals;
using actors::store_news;
using store::write_status;

constexpr std::uint32_t count = 3;

/// Stands before a store actor. Closed, it keeps what is for that, as when a commit takes long, until it is opened.
class gate {
public:
  gate(test_node& node, actors::own_store_actor to) : node_{node} {
    handle_ = node.keep(node.system().spawn([kept = kept_, to](actors::own_store_actor::pointer self) {
      const auto pass = [self, kept, to](const auto& m) {
        const auto from = actors::sender_of<actors::store_client>(self);
        const auto say = [from, to, m] { actors::tell_as(from, to, m); };
        if (kept->is_open)
          say();
        else
          kept->waiting.emplace_back(say);
      };
      return actors::own_store_actor::behavior_type{
        [self, to](const actors::boxed<workflow::submission>& m) -> caf::result<actors::receipt> {
          return self->delegate(to, m);
        },
        [kept](actors::flush) {
          for (const auto& say : std::exchange(kept->waiting, {}))
            say();
        },
        [](actors::save_commits) {},
        [pass](const actors::write_requests& m) { pass(m); },
        [pass](const actors::subscribe& m) { pass(m); },
        [self, to](const actors::inspect_state& m) -> caf::result<actors::actor_state> {
          return self->delegate(to, m);
        },
        [self, kept](const actors::drain&) -> caf::result<actors::drained> {
          if (kept->is_open)
            return actors::drained{};
          auto answer = self->make_response_promise<actors::drained>();
          kept->waiting.emplace_back([answer]() mutable { answer.deliver(actors::drained{}); });
          return answer;
        },
      };
    }));
  }

  const actors::own_store_actor& handle() const { return handle_; }
  void close() { kept_->is_open = false; }
  void open() {
    kept_->is_open = true;
    actors::tell_from_outside(handle_, actors::flush{});
    node_.run();
  }

private:
  struct kept_back {
    bool is_open = true;
    std::vector<std::function<void()>> waiting;
  };
  test_node& node_;
  std::shared_ptr<kept_back> kept_ = std::make_shared<kept_back>();
  actors::own_store_actor handle_;
};

/// Who writes, and hears of news.
class client {
public:
  explicit client(test_node& node)
      : handle_{node.keep(node.system().spawn([heard = heard_](actors::store_client::pointer) {
          return actors::store_client::behavior_type{
            [heard](const actors::writes_done& m) {
              heard->done.insert(heard->done.end(), m.all.begin(), m.all.end());
            },
            [heard](const store_news& m) { heard->news.push_back(m); },
          };
        }))} {}

  const actors::store_client& handle() const { return handle_; }
  /// Since the last call.
  std::vector<actors::write_done> take_done() { return std::exchange(heard_->done, {}); }
  std::vector<store_news> take_news() { return std::exchange(heard_->news, {}); }

private:
  struct all_heard {
    std::vector<actors::write_done> done;
    std::vector<store_news> news;
  };
  std::shared_ptr<all_heard> heard_ = std::make_shared<all_heard>();
  actors::store_client handle_;
};

/// A store of three partitions with the workflow `trip`, its store actors, each behind a gate, and the router.
class routed_store {
public:
  /// `next`: spawns who has the store after it was drained; `turns`: the router at which writes take turns.
  using spawn_next = std::function<actors::store_actor(test_node&)>;
  explicit routed_store(const spawn_next& next = {}, const spawn_next& turns = {}) {
    std::vector<std::shared_ptr<store::local_store>> stores;
    actors::partition_router_deps deps;
    if (next)
      deps.next = next(node_);
    if (turns)
      deps.turns = turns(node_);
    for (std::uint32_t i = 0; i < count; ++i) {
      taps_.push_back(std::make_shared<store_tap>(opened(i)));
      stores.push_back(taps_.back());
      actors::store_actor_deps of;
      of.store = taps_.back();
      of.files = taps_.back();
      of.clock = node_.clock();
      of.next = deps.next;
      writers_.push_back(node_.keep(actors::spawn_store_actor(node_.system(), std::move(of), false)));
      gates_.emplace_back(node_, writers_.back());
      deps.partitions.push_back(gates_.back().handle());
      deps.readers.push_back(node_.keep(
        actors::spawn_reader(node_.system(), {taps_.back(), taps_.back(), writers_.back(), node_.clock()}, false)));
    }
    joined_ = std::make_shared<store::joined_store>(std::move(stores));
    deps.clock = node_.clock();
    router_ = node_.keep(actors::spawn_partition_router(node_.system(), std::move(deps)));
    joined_->commit({store::register_definition{trip()}});
    written_.assign(count, {});
    for (std::uint32_t i = 0; i < count; ++i)
      taps_[i]->on_commit = [this, i](const store::write_list& batch) {
        for (const auto* w : batch)
          written_[i].push_back(*w);
      };
  }

  test_node& node() { return node_; }
  store_tap& partition(std::uint32_t i) { return *taps_[i]; }
  const actors::own_store_actor& writer(std::uint32_t i) const { return writers_[i]; }
  gate& before(std::uint32_t i) { return gates_[i]; }
  store::joined_store& all() { return *joined_; }
  const actors::own_store_actor& router() const { return router_; }
  /// What that partition was asked to write since the start.
  const std::vector<store::write>& written(std::uint32_t i) const { return written_[i]; }

  static std::string id_in(std::uint32_t partition, int n = 0) {
    for (int i = 0;; ++i)
      if (auto id = "t" + std::to_string(i); workflow::partition_of(id, count) == partition && n-- == 0)
        return id;
  }
  static workflow::submission order(const std::string& id) {
    workflow::submission s;
    s.id = id;
    s.workflow = "trip";
    s.payload = workflow::blob{"{}"};
    return s;
  }
  store::write submission(const std::string& id) { return store::submit_task{order(id), node_.now()}; }

  /// In one message, with these tickets.
  void send(const client& from, std::vector<std::pair<std::uint64_t, store::write>> writes) {
    actors::write_requests all;
    for (auto& [ticket, w] : writes)
      all.all.push_back({ticket, actors::boxed<store::write>{std::move(w)}, {}, {}});
    node_.tell(from.handle(), router_, std::move(all));
    node_.run();
  }
  /// What became of the write.
  store::outcome one(const store::write& w) {
    send(asker_, {{1, w}});
    const auto done = asker_.take_done();
    REQUIRE(done.size() == 1);
    return *done[0].outcome;
  }
  void subscribe(const client& who, const std::string& scheduler = actors::every_task) {
    node_.tell(who.handle(), router_, actors::subscribe{scheduler});
    node_.run();
  }
  nlohmann::json shown() { return shown_by(node_, router_); }

private:
  std::unique_ptr<store::local_store> opened(std::uint32_t i) {
    static std::atomic<std::uint64_t> openings{0x70617274};
    store::store_options o;
    o.path = folder_.path() / ("partition-" + std::to_string(i));
    o.size_max = 64 << 20;
    o.size_reserve = 8 << 20;
    o.journal_max = o.size_reserve / store::journal_growth;
    o.partition = {i, count};
    o.journal_name = ++openings;
    return store::open_lmdb_store(o);
  }

  temp_folder folder_{fast_place()};
  std::vector<std::shared_ptr<store_tap>> taps_;
  std::shared_ptr<store::joined_store> joined_;
  std::vector<std::vector<store::write>> written_;
  test_node node_;
  std::vector<actors::own_store_actor> writers_;
  std::vector<gate> gates_;
  actors::own_store_actor router_;
  client asker_{node_};
};

/// Another node's store, which says so of each write.
struct store_elsewhere {
  std::vector<std::string> submitted; ///< by id
  std::vector<std::uint64_t> written; ///< by ticket
  int subscribers = 0;

  actors::store_actor spawn(test_node& node) {
    return node.keep(node.system().spawn([this](actors::store_actor::pointer self) {
      return actors::store_actor::behavior_type{
        [this](const actors::boxed<workflow::submission>& m) {
          submitted.push_back(m->id);
          return actors::receipt{};
        },
        [](actors::flush) {},
        [](actors::save_commits) {},
        [this, self](const actors::write_requests& m) {
          for (const auto& w : m.all) {
            written.push_back(w.ticket);
            store::outcome said{store::decision{write_status::applied, "elsewhere"}};
            actors::tell(self, actors::sender_of<actors::store_client>(self),
                         actors::writes_done{{{w.ticket, actors::boxed<store::outcome>{std::move(said)}, {}}}, {}});
          }
        },
        [this](const actors::subscribe&) { ++subscribers; },
        [](const actors::inspect_state&) { return actors::actor_state{}; },
      };
    }));
  }
};

bool says_nothing(const store_news& m) {
  return m.changed.empty() && !m.work && !m.review && !m.notices && !m.bulk;
}

std::vector<std::uint64_t> tickets(const std::vector<actors::write_done>& all) {
  std::vector<std::uint64_t> found;
  for (const auto& d : all)
    found.push_back(d.ticket);
  std::sort(found.begin(), found.end());
  return found;
}

workflow::definition trip_of_other_steps() {
  auto d = trip();
  d.version = 7;
  d.steps.pop_back();
  return d;
}

workflow::definition trip_of_version_7() {
  auto d = trip();
  d.version = 7;
  return d;
}

store::start_bulk suspend_all(workflow::instant now) {
  store::start_bulk w;
  w.what.act = workflow::task_act::suspend;
  w.what.who = "ann";
  w.what.filter = store::encode(store::task_filter{});
  w.what.about = 3;
  w.now = now;
  return w;
}

/// Waits for an event `paid` with the key of its payload.
workflow::definition paid_trip() {
  auto waits = step_named("payment");
  waits.agent.clear();
  waits.compensation.reset();
  waits.wait.emplace();
  waits.wait->what = workflow::wait_rule::kind::event;
  waits.wait->name = "paid";
  waits.wait->at.pointer = "/order";
  waits.wait->length = 1h;
  return pipeline("paid_trip", {waits});
}

store::send_event paid_with(const std::string& key, const std::string& id, workflow::instant now) {
  store::send_event w;
  w.name = "paid";
  w.key = key;
  w.data = "{}";
  w.keep_for = 1h;
  w.id = id;
  w.now = now;
  return w;
}

store::send_event paid_to(const std::string& task, const std::string& id, workflow::instant now) {
  auto w = paid_with({}, id, now);
  w.task_id = task;
  return w;
}

// ---- writing ----

TEST_CASE("a router hands a submission to the partition of its id, and the receipt comes from there") {
  routed_store s;
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto id = routed_store::id_in(i);
    const actors::boxed<workflow::submission> order{routed_store::order(id)};
    const auto first = s.node().ask<actors::receipt>(s.router(), order).value();
    CHECK(first.created);
    CHECK(workflow::partition_of_number(first.number, count) == i);
    CHECK_FALSE(s.node().ask<actors::receipt>(s.router(), order)->created);
    for (std::uint32_t other = 0; other < count; ++other)
      CHECK(s.partition(other).find(id).has_value() == (other == i));
  }
  const auto none = s.node().ask<actors::receipt>(s.router(), actors::boxed<workflow::submission>{}).value();
  CHECK(none.result == write_status::refused);
}

TEST_CASE("a router answers each write of a batch once, with its ticket, and asks no partition twice for it") {
  routed_store s;
  client ada{s.node()};
  client bob{s.node()};
  std::vector<std::pair<std::uint64_t, store::write>> of_ada;
  std::vector<std::pair<std::uint64_t, store::write>> of_bob;
  std::uint64_t ticket = 0;
  for (int n = 0; n < 4; ++n)
    for (std::uint32_t i = 0; i < count; ++i) {
      of_ada.emplace_back(++ticket, s.submission(routed_store::id_in(i, n)));
      of_bob.emplace_back(ticket, s.submission(routed_store::id_in(i, n + 4))); // under the same tickets
    }
  of_ada.emplace_back(++ticket, store::register_definition{trip_of_version_7()});
  of_ada.emplace_back(++ticket, s.submission(routed_store::id_in(1, 20))); // after it, in its partition too
  s.before(1).close();
  s.send(ada, of_ada);
  s.send(bob, of_bob);
  s.before(1).open();
  auto done = ada.take_done();
  std::vector<std::uint64_t> each(ticket);
  for (std::uint64_t t = 1; t <= ticket; ++t)
    each[t - 1] = t;
  CHECK(tickets(done) == each);
  for (const auto& d : done) {
    INFO(d.ticket << " " << d.outcome->why);
    CHECK(d.outcome->result == write_status::applied);
    CHECK(d.outcome->is<store::register_result>() == (d.ticket == ticket - 1));
    if (const auto* w = std::get_if<store::submit_task>(&of_ada[d.ticket - 1].second))
      CHECK(s.all().find(w->what.id)->number == d.outcome->as<store::submit_result>().number);
  }
  each.resize(ticket - 2);
  CHECK(tickets(bob.take_done()) == each);
  CHECK(s.all().find(routed_store::id_in(1, 20))->version == 7);
  for (std::uint32_t i = 0; i < count; ++i) {
    std::map<std::string, int> submitted;
    std::size_t registered = 0;
    for (const auto& w : s.written(i))
      if (const auto* t = std::get_if<store::submit_task>(&w))
        ++submitted[t->what.id];
      else
        registered += std::holds_alternative<store::register_definition>(w) ? 1 : 0;
    CHECK(registered == 1);
    CHECK(submitted.size() == (i == 1 ? 9U : 8U));
    for (const auto& [id, times] : submitted) {
      INFO(id);
      CHECK(times == 1);
      CHECK(workflow::partition_of(id, count) == i);
    }
  }
}

TEST_CASE("a write for all partitions is answered when all of them have answered, and other writes do not wait") {
  routed_store s;
  client ada{s.node()};
  for (std::uint32_t slow = 0; slow < count; ++slow) {
    s.before(slow).close();
    const auto other = (slow + 1) % count;
    auto d = trip();
    d.version = 10 + slow;
    s.send(ada, {{1, store::register_definition{d}}, {2, s.submission(routed_store::id_in(other, 7))}});
    CHECK(tickets(ada.take_done()) == std::vector<std::uint64_t>{2});
    CHECK(s.partition(other).find_definition("trip", d.version));
    CHECK_FALSE(s.partition(slow).find_definition("trip", d.version));
    s.before(slow).open();
    const auto done = ada.take_done();
    REQUIRE(done.size() == 1);
    CHECK(done[0].ticket == 1);
    CHECK(done[0].outcome->as<store::register_result>().created);
    CHECK(s.partition(slow).find_definition("trip", d.version));
  }
}

TEST_CASE("what a router says of a write for all partitions is what all of them say together") {
  routed_store s;
  for (std::uint32_t i = 0; i < count; ++i)
    for (int n = 0; n < 2; ++n)
      REQUIRE(s.one(s.submission(routed_store::id_in(i, n))).result == write_status::applied);

  REQUIRE(s.partition(2).commit({store::register_definition{trip_of_version_7()}}).at(0).result
          == write_status::applied); // as when a node died between two partitions
  CHECK(s.one(store::register_definition{trip_of_version_7()}).as<store::register_result>().created);
  CHECK_FALSE(s.one(store::register_definition{trip_of_version_7()}).as<store::register_result>().created);

  const auto lease = s.one(store::acquire_lease{"supervisor", "one", {}, 10s, s.node().now()});
  CHECK(lease.as<store::lease_result>().epoch == 1);
  for (std::uint32_t i = 0; i < count; ++i)
    CHECK(s.partition(i).leases(s.node().now()).size() == 1);

  const auto bulk = s.one(suspend_all(s.node().now()));
  CHECK(bulk.as<store::bulk_result>().number == count); // the first of the first partition
  CHECK(s.all().bulk_acts(true, std::nullopt, 10).acts.size() == 1);
  store::stop_bulk stop;
  stop.number = bulk.as<store::bulk_result>().number;
  stop.who = "ann";
  CHECK(s.one(stop).result == write_status::applied);
  for (std::uint32_t i = 0; i < count; ++i) {
    CHECK(s.partition(i).bulk_acts(false, std::nullopt, 10).acts.size() == 1);
    CHECK(s.partition(i).bulk_acts(true, std::nullopt, 10).acts.empty());
  }

  REQUIRE(s.one(store::register_definition{paid_trip()}).result == write_status::applied);
  const auto paid = paid_with("o-1", "evt-1", s.node().now());
  REQUIRE(s.partition(0).commit({paid}).at(0).result == write_status::applied);
  auto sent = s.one(paid);
  INFO(sent.why);
  CHECK(sent.as<store::event_result>().number == count);
  CHECK_FALSE(sent.as<store::event_result>().again);
  CHECK(s.one(paid).as<store::event_result>().again);

  client ada{s.node()};
  s.send(ada, {{4, store::claim_tasks{"s1", 4, s.node().now()}}, {5, store::claim_tasks{"s1", 9, s.node().now()}}});
  std::size_t claimed = 0;
  for (const auto& d : ada.take_done()) {
    const auto& tasks = d.outcome->as<store::claim_result>().tasks;
    CHECK(tasks.size() == (d.ticket == 4 ? 4U : 2U));
    claimed += tasks.size();
    for (const auto& t : tasks)
      CHECK(std::any_of(d.definitions.begin(), d.definitions.end(),
                        [&](const auto& of) { return of->name == t.workflow && of->version == t.version; }));
  }
  CHECK(claimed == 6);
}

TEST_CASE("row 147: a write that one partition refuses, or whose end there is unknown, is told so and safe to repeat") {
  routed_store s;
  REQUIRE(s.partition(1).commit({store::register_definition{trip_of_other_steps()}}).at(0).result
          == write_status::applied);
  auto o = s.one(store::register_definition{trip_of_version_7()});
  CHECK(o.result == write_status::refused);
  CHECK_THAT(o.why, Catch::StartsWith("in partition 1: "));
  CHECK(s.partition(0).find_definition("trip", 7)->steps.size() == 2); // taken there all the same
  o = s.one(store::register_definition{pipeline("none", {})});
  CHECK(o.result == write_status::refused); // by all: then none is named
  CHECK(o.why.find("in partition") == std::string::npos);

  auto d = trip();
  d.version = 8;
  s.partition(2).fail_next(store_tap::fault::reported_unknown);
  CHECK(s.one(store::register_definition{d}).result == write_status::unknown_outcome);
  o = s.one(store::register_definition{d});
  CHECK(o.result == write_status::applied);
  CHECK_FALSE(o.as<store::register_result>().created); // it was made after all

  d.version = 9;
  s.partition(0).fail_next(store_tap::fault::full);
  o = s.one(store::register_definition{d});
  CHECK(o.result == write_status::full);
  CHECK(o.why == "in partition 0: the disk is full");
  CHECK_FALSE(s.partition(0).find_definition("trip", 9));
  CHECK(s.one(store::register_definition{d}).as<store::register_result>().created);
  for (std::uint32_t i = 0; i < count; ++i)
    CHECK(s.partition(i).find_definition("trip", 9));

  s.partition(1).fail_next(store_tap::fault::full);
  o = s.one(s.submission(routed_store::id_in(1)));
  CHECK(o.result == write_status::full);
  CHECK(o.why == "the disk is full"); // it is about one task: it is as in a store of one
}

// ---- writes that are asked first ----

/// A task of `paid_trip` in each partition, whose step waits for an event with the key `o-1`.
class waiting_store : public routed_store {
public:
  waiting_store() {
    all().commit({store::register_definition{paid_trip()}});
    for (std::uint32_t i = 0; i < count; ++i) {
      auto s = order(id_in(i));
      s.workflow = "paid_trip";
      s.payload = workflow::blob{R"({"order":"o-1"})"};
      all().commit({store::submit_task{s, node().now()}});
    }
    all().commit({store::claim_tasks{"s1", 10, node().now()}});
    REQUIRE(states() == std::vector<std::string>(count, "waiting"));
  }

  std::vector<std::string> states() {
    std::vector<std::string> found;
    for (std::uint32_t i = 0; i < count; ++i)
      found.emplace_back(workflow::to_string(all().find(id_in(i))->steps[0].state));
    return found;
  }
  std::vector<std::size_t> events() {
    std::vector<std::size_t> found;
    for (std::uint32_t i = 0; i < count; ++i)
      found.push_back(partition(i).events({}, node().now(), {}, 100).events.size());
    return found;
  }
  std::vector<std::size_t> bulk_acts() {
    std::vector<std::size_t> found;
    for (std::uint32_t i = 0; i < count; ++i)
      found.push_back(partition(i).bulk_acts(false, std::nullopt, 100).acts.size());
    return found;
  }
};

using counts = std::vector<std::size_t>;

const actors::write_done& with_ticket(const std::vector<actors::write_done>& all, std::uint64_t ticket) {
  const auto found = std::find_if(all.begin(), all.end(), [&](const auto& d) { return d.ticket == ticket; });
  REQUIRE(found != all.end());
  return *found;
}

TEST_CASE("row 147: an event by key that one partition refuses is kept by none, and no task takes it") {
  for (std::uint32_t knows = 0; knows < count; ++knows) {
    waiting_store s;
    REQUIRE(s.one(paid_to(routed_store::id_in(knows), "evt-1", s.node().now())).result == write_status::applied);
    auto states = s.states();
    const auto o = s.one(paid_with("o-1", "evt-1", s.node().now()));
    CHECK(o.result == write_status::refused);
    CHECK_THAT(o.why, Catch::StartsWith("the id `evt-1` was already sent"));
    counts kept(count);
    kept[knows] = 1;
    CHECK(s.events() == kept);
    CHECK(s.states() == states);
    CHECK(s.one(paid_with("o-1", "evt-2", s.node().now())).as<store::event_result>().taken == count - 1);
    CHECK(s.shown().at("writes_on_their_way") == 0);
  }
}

TEST_CASE("row 147: an event by key is not kept where others have room, if one partition has none") {
  waiting_store s;
  s.partition(1).fail_next(store_tap::fault::full);
  CHECK(s.one(paid_with("o-1", {}, s.node().now())).result == write_status::full);
  CHECK(s.events() == counts{0, 0, 0});
  CHECK(s.one(paid_with("o-1", {}, s.node().now())).as<store::event_result>().taken == count);
  CHECK(s.events() == counts{1, 1, 1});
}

TEST_CASE(
  "row 147: of events that come at the same time with one id and differ, the first acts and the others do not") {
  waiting_store s;
  client ada{s.node()};
  client bob{s.node()};
  const auto first = paid_with("o-1", "evt-1", s.node().now());
  auto differs = first;
  differs.data = "7";
  s.before(2).close();
  s.send(ada, {{1, first}, {2, differs}, {3, first}});
  s.send(bob, {{1, paid_to(routed_store::id_in(0), "evt-1", s.node().now())}, {2, paid_with("o-2", "evt-2", {})}});
  CHECK(ada.take_done().empty());
  s.before(2).open();
  const auto done = ada.take_done();
  CHECK(tickets(done) == std::vector<std::uint64_t>{1, 2, 3});
  CHECK(with_ticket(done, 1).outcome->as<store::event_result>().taken == count);
  CHECK(with_ticket(done, 2).outcome->result == write_status::refused);
  CHECK(with_ticket(done, 3).outcome->as<store::event_result>().again);
  const auto of_bob = bob.take_done();
  CHECK(with_ticket(of_bob, 1).outcome->result == write_status::refused);
  CHECK(with_ticket(of_bob, 2).outcome->result == write_status::applied);
  CHECK(s.events() == counts{2, 2, 2});
  CHECK(s.shown().at("writes_on_their_way") == 0);
}

TEST_CASE("row 147: an event to a task waits while one by key with its id was asked and is not kept everywhere") {
  waiting_store s;
  client ada{s.node()};
  client bob{s.node()};
  s.before(2).close();
  s.send(ada, {{1, paid_with("o-1", "evt-1", s.node().now())}});
  s.send(bob, {{1, paid_to(routed_store::id_in(0), "evt-1", s.node().now())},
               {2, paid_to(routed_store::id_in(1), {}, s.node().now())}});
  CHECK(tickets(bob.take_done()) == std::vector<std::uint64_t>{2}); // without an id: it does not wait
  CHECK(s.shown().at("writes_on_their_way") == 2);
  s.before(2).open();
  CHECK(with_ticket(ada.take_done(), 1).outcome->result == write_status::applied);
  CHECK(with_ticket(bob.take_done(), 1).outcome->result == write_status::refused);
  CHECK(s.events() == counts{1, 2, 1});
}

TEST_CASE("row 147: the id of an event to one task is known in all partitions, and the event is kept in one") {
  waiting_store s;
  const auto first = routed_store::id_in(0);
  REQUIRE(s.one(paid_to(first, "evt-1", s.node().now())).as<store::event_result>().taken == 1);
  CHECK(s.one(paid_to(first, "evt-1", s.node().now())).as<store::event_result>().again);
  const auto o = s.one(paid_to(routed_store::id_in(1), "evt-1", s.node().now()));
  CHECK(o.result == write_status::refused);
  CHECK_THAT(o.why, Catch::StartsWith("the id `evt-1` was already sent"));
  CHECK(s.states() == std::vector<std::string>{"completed", "waiting", "waiting"});
  CHECK(s.events() == counts{1, 0, 0});
  CHECK(s.one(paid_with("o-2", "evt-2", s.node().now())).result == write_status::applied);
  CHECK(s.one(paid_to(routed_store::id_in(1), "evt-2", s.node().now())).result == write_status::refused);
  const auto to_last = paid_to(routed_store::id_in(2), "evt-3", s.node().now());
  const auto said = s.all().commit({to_last}).at(0).as<store::event_result>(); // as one store
  CHECK(said.taken == 1);
  CHECK(said.number == s.one(to_last).as<store::event_result>().number);
  CHECK(s.events() == counts{2, 1, 2});
}

TEST_CASE("events by key with other ids, or none, do not wait for one that is on its way") {
  waiting_store s;
  client ada{s.node()};
  std::vector<std::pair<std::uint64_t, store::write>> writes;
  for (std::uint64_t n = 0; n < 20; ++n)
    writes.emplace_back(n, paid_with("o-1", n % 2 == 0 ? "evt-" + std::to_string(n) : "", s.node().now()));
  s.before(1).close();
  s.send(ada, writes);
  const auto asked = [&](std::uint32_t i) {
    return std::count_if(s.written(i).begin(), s.written(i).end(), [](const store::write& w) {
      return std::holds_alternative<store::send_event>(w) && std::get<store::send_event>(w).is_question;
    });
  };
  CHECK(asked(0) == 20);
  CHECK(asked(1) == 0);
  s.before(1).open();
  const auto done = ada.take_done();
  CHECK(done.size() == 20);
  for (const auto& d : done)
    CHECK(d.outcome->result == write_status::applied);
  CHECK(s.events() == counts{20, 20, 20});
}

TEST_CASE("an event by key that partitions keep at different times is listed once, and two that are alike are two") {
  waiting_store s;
  client ada{s.node()};
  s.before(0).close();
  s.send(ada, {{1, paid_with("o-1", {}, {})}, {2, paid_with("o-1", {}, {})}, {3, paid_with("o-2", "evt-1", {})}});
  s.node().advance(10s);
  s.before(0).open();
  REQUIRE(ada.take_done().size() == 3);
  s.node().advance(10s);
  s.one(paid_with("o-1", {}, {}));
  CHECK(s.events() == counts{4, 4, 4});
  const auto all = s.all().events({}, s.node().now(), {}, 100).events;
  REQUIRE(all.size() == 4);
  CHECK(all[0].at == all[1].at);
  CHECK(all[0].number != all[1].number);
  CHECK(all[2].at >= all[0].at + 20s);
  CHECK(all[3].id == "evt-1");
}

TEST_CASE("row 147: a bulk act that one partition refuses begins in none") {
  waiting_store s;
  for (std::size_t n = 0; n < store::store_options{}.bulk_open_max; ++n)
    REQUIRE(s.partition(1).commit({suspend_all(s.node().now())}).at(0).result == write_status::applied);
  const auto o = s.one(suspend_all(s.node().now()));
  CHECK(o.result == write_status::refused);
  CHECK_THAT(o.why, Catch::StartsWith("16 bulk acts are open"));
  CHECK(s.bulk_acts() == counts{0, 16, 0});
}

TEST_CASE("row 147: of two bulk acts at the same time where there is room for one, one begins everywhere") {
  waiting_store s;
  for (std::size_t n = 1; n < store::store_options{}.bulk_open_max; ++n)
    REQUIRE(s.partition(1).commit({suspend_all(s.node().now())}).at(0).result == write_status::applied);
  client ada{s.node()};
  client bob{s.node()};
  s.before(0).close();
  s.send(ada, {{1, suspend_all(s.node().now())}});
  s.send(bob, {{1, suspend_all(s.node().now())}});
  s.before(0).open();
  CHECK(with_ticket(ada.take_done(), 1).outcome->result == write_status::applied);
  CHECK(with_ticket(bob.take_done(), 1).outcome->result == write_status::refused);
  CHECK(s.bulk_acts() == counts{1, 16, 1});
}

TEST_CASE("a bulk act is stopped in the one partition where it is open, by the number that it has there") {
  routed_store s;
  const auto now = s.node().now();
  const auto number = s.one(suspend_all(now)).as<store::bulk_result>().number;
  const auto act_of = [&](std::uint32_t i) { return s.partition(i).bulk_acts(false, {}, 10).acts.at(0); };
  for (const auto i : {0U, 2U})
    s.partition(i).commit_one(store::stop_bulk{act_of(i).number, "ann", "is over here", now});
  REQUIRE(act_of(1).number != number);
  CHECK(s.one(store::stop_bulk{number, "bob", "wrong", now}).result == write_status::applied);
  CHECK(act_of(1).stopped_by == "bob");
}

TEST_CASE("the supervisor's lease of one partition is released there, by the name that it has there") {
  routed_store s;
  s.all().commit({store::acquire_lease{"supervisor", "one", {}, 10s, s.node().now()}});
  const auto is_held = [&](std::uint32_t i) {
    return s.partition(i).leases(workflow::clock_reading{}).at(0).expires_at != workflow::unset;
  };
  for (std::uint32_t i = 0; i < count; ++i)
    REQUIRE(is_held(i));
  CHECK(s.one(store::release_lease{"supervisor.partition-1", "one", 1}).result == write_status::applied);
  CHECK(is_held(0));
  CHECK_FALSE(is_held(1));
  CHECK(is_held(2));
}

// ---- what fails ----

TEST_CASE("a partition that cannot be read when a write is parted does not end the router") {
  routed_store s;
  const auto number = s.one(suspend_all(s.node().now())).as<store::bulk_result>().number;
  client ada{s.node()};
  store::stop_bulk stop;
  stop.number = number;
  stop.who = "ann";
  s.partition(2).fail_reads(true);
  s.send(ada, {{1, s.submission(routed_store::id_in(0))}, {2, stop}, {3, s.submission(routed_store::id_in(1))}});
  s.partition(2).fail_reads(false);
  const auto done = ada.take_done();
  CHECK(tickets(done) == std::vector<std::uint64_t>{1, 2, 3});
  for (const auto& d : done) {
    CHECK(d.outcome->result == (d.ticket == 2 ? write_status::full : write_status::applied));
    if (d.ticket == 2)
      CHECK(d.outcome->why == "the disk cannot be read");
  }
  CHECK(s.shown().at("writes_on_their_way") == 0);
  CHECK(s.one(stop).result == write_status::applied);
}

// ---- news ----

TEST_CASE("who watches every task is told once that all partitions tell it, and then of each change once") {
  routed_store s;
  client ada{s.node()};
  client bob{s.node()};
  s.before(1).close();
  s.subscribe(ada);
  s.subscribe(bob);
  CHECK(ada.take_news().empty());
  s.before(1).open();
  for (auto* watcher : {&ada, &bob}) {
    const auto news = watcher->take_news();
    REQUIRE(news.size() == 1);
    CHECK(says_nothing(news[0]));
  }
  client late{s.node()};
  s.subscribe(late);
  CHECK(late.take_news().size() == 1);
  CHECK(ada.take_news().empty());
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto number = s.one(s.submission(routed_store::id_in(i))).as<store::submit_result>().number;
    for (auto* watcher : {&ada, &bob, &late}) {
      const auto news = watcher->take_news();
      REQUIRE(news.size() == 1);
      CHECK(news[0].changed == std::vector<std::uint64_t>{number});
    }
  }
}

TEST_CASE("who watches is not told that all is told while a partition has yet to tell, whatever the others say again") {
  routed_store s;
  client ada{s.node()};
  s.before(1).close();
  s.subscribe(ada);
  for (int i = 0; i < 3; ++i) {
    s.partition(2).fail_next(store_tap::fault::reported_unknown); // then it does not know what has changed
    REQUIRE(s.one(s.submission(routed_store::id_in(2))).result == write_status::unknown_outcome);
  }
  const auto early = ada.take_news();
  CHECK(std::none_of(early.begin(), early.end(), says_nothing));
  s.before(1).open();
  const auto news = ada.take_news();
  REQUIRE(news.size() == 1);
  CHECK(says_nothing(news[0]));

  s.partition(0).fail_next(store_tap::fault::reported_unknown);
  REQUIRE(s.one(s.submission(routed_store::id_in(0))).result == write_status::unknown_outcome);
  const auto again = ada.take_news();
  REQUIRE(again.size() == 2); // that anything may have changed, and that from now on all is told
  CHECK((again[0].work && again[0].review && again[0].notices));
  CHECK(says_nothing(again[1]));
}

TEST_CASE("a scheduler that subscribes by way of the router hears from each partition itself") {
  routed_store s;
  client scheduler{s.node()};
  s.subscribe(scheduler, "s1");
  CHECK(scheduler.take_news().empty());
  for (std::uint32_t i = 0; i < count; ++i) {
    s.one(s.submission(routed_store::id_in(i)));
    const auto news = scheduler.take_news();
    REQUIRE(news.size() == 1);
    CHECK(news[0].work);
  }
}

TEST_CASE("P28: a router forgets who watches every task and is gone") {
  routed_store s;
  client ada{s.node()};
  client bob{s.node()};
  s.subscribe(ada);
  s.subscribe(bob);
  REQUIRE(s.shown().at("watchers") == 2);
  actors::exit_now(ada.handle());
  s.node().run();
  CHECK(s.shown().at("watchers") == 1);
  bob.take_news();
  s.one(s.submission(routed_store::id_in(0)));
  CHECK(bob.take_news().size() == 1);
}

// ---- the rest ----

TEST_CASE("row 86: a router that was drained passes on what comes, also what waited for its turn") {
  store_elsewhere there;
  routed_store s{[&](test_node& node) { return there.spawn(node); }};
  client ada{s.node()};
  const store::send_event event{"paid", "k", {}, "{}", "ada", 1h, s.node().now(), "e1"};
  s.before(0).close();
  s.send(ada, {{1, s.submission(routed_store::id_in(0))}, {2, event}, {3, event}});
  CHECK(s.node().ask<actors::drained>(s.router(), actors::drain{}).has_value());
  CHECK(there.submitted.empty());
  s.send(ada, {{4, s.submission(routed_store::id_in(1))}});
  CHECK(there.written == std::vector<std::uint64_t>{4});
  s.before(0).open();
  CHECK(tickets(ada.take_done()) == std::vector<std::uint64_t>{1, 2, 3, 4});
  CHECK(there.written == std::vector<std::uint64_t>{4, 3}); // 2 was asked here, and refused
  s.node().begin_to_ask<actors::receipt>(
    s.router(), actors::boxed<workflow::submission>{routed_store::order(routed_store::id_in(2))});
  s.subscribe(ada);
  CHECK(there.submitted == std::vector<std::string>{routed_store::id_in(2)});
  CHECK(there.subscribers == 1);
  CHECK(s.one(s.submission("later")).why == "elsewhere");
}

TEST_CASE("row 147: of several routers one takes what has to wait for its turn, and each what has not") {
  store_elsewhere first;
  routed_store s{{}, [&](test_node& node) { return first.spawn(node); }};
  client ada{s.node()};
  const auto now = s.node().now();
  s.all().commit({store::register_definition{paid_trip()}});
  auto waiting = routed_store::order(routed_store::id_in(1));
  waiting.workflow = "paid_trip";
  waiting.payload = workflow::blob{"{\"order\":\"k\"}"};
  CHECK(s.one(store::submit_task{waiting, now}).result == write_status::applied);
  s.send(ada, {{1, paid_with("k", "e1", now)},
               {2, paid_with("k", {}, now)},
               {3, paid_to(waiting.id, "e1", now)},
               {4, suspend_all(now)},
               {5, store::release_lease{"batch", "n1", 0}}});
  CHECK(first.written == std::vector<std::uint64_t>{1, 3, 4});
  CHECK(tickets(ada.take_done()) == std::vector<std::uint64_t>{1, 2, 3, 4, 5});
}

TEST_CASE("a router shows how many writes are on their way, and none at rest") {
  routed_store s;
  client ada{s.node()};
  const auto at_rest = [&] {
    CHECK(s.shown().at("writes_on_their_way") == 0);
    CHECK_THAT(state_of(s.node(), s.router()).summary, Catch::Contains("0 writes on the way"));
  };
  CHECK(s.shown().at("partitions") == count);
  at_rest();
  s.before(0).close();
  s.send(ada, {{1, s.submission(routed_store::id_in(0))},
               {2, s.submission(routed_store::id_in(1))},
               {3, store::acquire_lease{"supervisor", "one", {}, 10s, s.node().now()}}});
  CHECK(s.shown().at("writes_on_their_way") == 2);
  s.before(0).open();
  at_rest();
  s.partition(1).fail_next(store_tap::fault::full);
  s.one(store::register_definition{trip_of_version_7()});
  at_rest();
}

} // namespace steadfast::tests::routing
