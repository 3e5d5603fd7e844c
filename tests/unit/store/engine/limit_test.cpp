// Workflows of which only so many tasks with one key are under way at a time.

#include "tests/unit/store/samples.hpp"
#include "tests/unit/store/support.hpp"
#include "workflow/transition/transition.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <map>
#include <random>
#include <string>

using namespace steadfast;
using namespace steadfast::store;
using namespace steadfast::store::test;

namespace {

using id_list = std::vector<std::string>;

workflow::definition charge(std::uint32_t at_a_time = 1, std::uint32_t version = 1) {
  workflow::definition d;
  d.name = "charge";
  d.version = version;
  d.steps = {step_named("pay")};
  d.steps[0].complete_by = std::chrono::hours{1};
  d.limit = workflow::limit_rule{"/customer", at_a_time};
  return d;
}

submit_task charge_of(const std::string& id, const std::string& customer = "ada", std::int64_t seconds = 0) {
  workflow::submission s;
  s.id = id;
  s.workflow = "charge";
  s.payload = workflow::blob{R"({"customer":")" + customer + "\"}"};
  return {s, at(seconds)};
}

struct shop {
  opened_store store;
  std::int64_t seconds = 1;

  explicit shop(std::uint32_t at_a_time = 1, workflow::span per = {}) {
    auto d = charge(at_a_time);
    d.limit->per = per;
    REQUIRE(store.one(register_definition{d}).result == write_status::applied);
  }

  void submit(const std::string& id, const std::string& customer = "ada") {
    const auto o = store.one(charge_of(id, customer));
    INFO(o.why);
    REQUIRE(o.created);
  }
  id_list claim(std::size_t max = 100) {
    id_list all;
    for (const auto& t : store.one(claim_tasks{"s1", max, at(seconds++)}).tasks)
      all.push_back(t.id);
    std::sort(all.begin(), all.end()); // whose key has the first turn does not matter
    return all;
  }
  answer<update_task> raise(const std::string& id, const workflow::event& e) {
    const auto t = *store->find(id);
    auto o = store.one(update_by(t, *store->find_definition(t.workflow, t.version), e, at(seconds++)));
    INFO(o.why);
    REQUIRE(o.result == write_status::applied);
    return o;
  }
  workflow::attempt_ref ref(const std::string& id) {
    const auto t = *store->find(id);
    return {0, t.steps[0].attempt, t.lock_epoch};
  }
  void succeed(const std::string& id) { raise(id, workflow::attempt_succeeded{ref(id), workflow::blob{"{}"}, {}}); }
  void refuse(const std::string& id) { raise(id, workflow::attempt_failed{ref(id), true, false, {}, "no money"}); }
  std::string state(const std::string& id) { return std::string{workflow::to_string(store->find(id)->state)}; }
  void expect_whole() { CHECK(store->check().faults == std::vector<std::string>{}); }
};

const workflow::by eve{"eve", "a test"};

} // namespace

TEST_CASE("row 132: of one key one task is under way at a time, in the order of submission") {
  shop x;
  for (const auto* id : {"a1", "a2", "a3"})
    x.submit(id);
  x.submit("b1", "bob");
  CHECK(x.claim() == id_list{"a1", "b1"});
  CHECK(x.claim().empty());
  x.expect_whole();
  x.succeed("b1");
  CHECK(x.claim().empty());
  x.succeed("a1");
  x.expect_whole();
  CHECK(x.claim() == id_list{"a2"});
  x.refuse("a2");
  CHECK(x.state("a2") == "undone");
  CHECK(x.claim() == id_list{"a3"});
  x.succeed("a3");
  CHECK(x.claim().empty());
  x.expect_whole();
}

TEST_CASE("row 132: so many of a key are under way as the limit says, and no more after a restart") {
  shop x{2};
  for (const auto* id : {"a1", "a2", "a3", "a4"})
    x.submit(id);
  CHECK(x.claim(1) == id_list{"a1"});
  x.store.reopen();
  x.expect_whole();
  CHECK(x.claim() == id_list{"a2"});
  x.store.reopen();
  CHECK(x.claim().empty());
  x.succeed("a2");
  x.store.reopen();
  CHECK(x.claim() == id_list{"a3"});
  x.expect_whole();
}

TEST_CASE("row 132: a task keeps its key over a lost scheduler, and is taken again before those behind it") {
  shop x;
  x.submit("a1");
  x.submit("a2");
  CHECK(x.claim() == id_list{"a1"});
  const bool is_graceful = GENERATE(false, true);
  free_locks lost;
  lost.scheduler = "s1";
  lost.max = 10;
  lost.graceful = is_graceful;
  lost.now = at(x.seconds++);
  REQUIRE(x.store.one(lost).freed == 1);
  x.expect_whole();
  CHECK(x.claim() == id_list{"a1"});
  CHECK(x.claim().empty());
  x.expect_whole();
}

TEST_CASE("row 132: a task in error keeps its key until a person has ended it") {
  shop x;
  auto d = charge(1, 2);
  d.steps[0].exhausted = workflow::on_exhausted::error;
  d.steps[0].compensation.reset();
  d.takeovers_max = 1;
  REQUIRE(x.store.one(register_definition{d}).result == write_status::applied);
  x.submit("a1");
  x.submit("a2");
  for (int i = 0; i < 3; ++i) { // its schedulers are lost
    x.claim();
    free_locks lost;
    lost.scheduler = "s1";
    lost.max = 10;
    lost.now = at(x.seconds++);
    x.store.one(lost);
  }
  REQUIRE(x.state("a1") == "error");
  CHECK(x.claim().empty());
  x.expect_whole();
  const auto act = GENERATE(1, 2);
  if (act == 1) {
    x.raise("a1", workflow::step_skipped{0, workflow::blob{"{}"}, {}, eve});
    x.claim();
    CHECK(x.state("a1") == "processed");
  } else {
    x.raise("a1", workflow::undo_requested{eve});
    x.claim();
    x.store.one(claim_tasks{"s1", 100, at(x.seconds += 3600)});
    CHECK(x.state("a1") == "undone");
  }
  x.claim();
  CHECK(x.state("a2") == "processing");
  x.expect_whole();
}

TEST_CASE("row 132: a task that is suspended keeps its key if it had begun, and holds nobody up if it had not") {
  shop x;
  x.submit("a1");
  x.submit("a2");
  x.submit("a3");
  x.raise("a1", workflow::suspended{eve});
  x.expect_whole();
  CHECK(x.claim() == id_list{"a2"});
  x.raise("a1", workflow::resumed{eve});
  CHECK(x.claim().empty());
  x.expect_whole();
  x.succeed("a2");
  CHECK(x.claim() == id_list{"a1"}); // which was submitted before a3
  x.expect_whole();
}

TEST_CASE("row 132: one that is cancelled before it has begun lets the next one begin") {
  shop x;
  x.submit("a1");
  x.submit("a2");
  x.submit("a3");
  x.raise("a1", workflow::cancelled{eve});
  x.expect_whole();
  CHECK(x.claim() == id_list{"a2"});
  x.raise("a3", workflow::cancelled{eve});
  x.succeed("a2");
  CHECK(x.claim().empty());
  x.expect_whole();
}

TEST_CASE("row 132: one that may begin later waits for its key when its time has come, in its place") {
  shop x;
  auto later = charge_of("a1");
  later.what.not_before = at(50);
  x.store.one(later);
  x.submit("a2");
  x.submit("a3");
  CHECK(x.claim() == id_list{"a2"});
  x.expect_whole();
  x.seconds = 60;
  CHECK(x.claim().empty());
  x.expect_whole();
  x.succeed("a2");
  CHECK(x.claim() == id_list{"a1"});
  x.expect_whole();
}

TEST_CASE("row 132: the more urgent of a key begins first") {
  shop x;
  x.submit("a1");
  auto urgent = charge_of("a2");
  urgent.what.priority = 0;
  x.store.one(urgent);
  x.expect_whole();
  CHECK(x.claim() == id_list{"a2"});
  x.succeed("a2");
  CHECK(x.claim() == id_list{"a1"});
}

TEST_CASE("row 132: a payload without a key that can be counted by is refused") {
  shop x;
  for (const auto* payload :
       {"{}", "[]", "no json", R"({"customer":null})", R"({"customer":{}})", R"({"customer":""})"}) {
    INFO(payload);
    auto w = charge_of("a1");
    w.what.payload = workflow::blob{payload};
    const auto o = x.store.one(w);
    CHECK(o.result == write_status::refused);
    CHECK(mentions(o.why, "limit"));
  }
  auto number = charge_of("a1");
  number.what.payload = workflow::blob{R"({"customer":7})"};
  CHECK(x.store.one(number).created);
  x.expect_whole();
}

TEST_CASE("row 141: a task whose first step waits has its place from when it is taken, as long as it waits") {
  shop x;
  auto d = charge(1, 2);
  workflow::step_definition first;
  first.name = "first";
  first.wait.emplace();
  SECTION("for a time") {
    first.wait->length = std::chrono::minutes{1};
  }
  SECTION("for an event") {
    first.wait->what = workflow::wait_rule::kind::event;
    first.wait->name = "paid";
    first.wait->at.pointer = "/customer";
    first.wait->length = std::chrono::minutes{1};
    first.wait->passes_at_limit = true;
  }
  SECTION("for a person") {
    first.wait->what = workflow::wait_rule::kind::person;
    first.wait->name = "sales";
    first.wait->question = "Now?";
    first.wait->choices = {"yes", "no"};
    first.wait->length = std::chrono::minutes{1};
    first.wait->passes_at_limit = true;
  }
  d.steps.insert(d.steps.begin(), first);
  REQUIRE(x.store.one(register_definition{d}).result == write_status::applied);
  for (const auto* id : {"a1", "a2"})
    x.submit(id);
  CHECK(x.claim().empty()); // it only waits
  CHECK(x.claim().empty());
  CHECK(x.store->find("a1")->steps[0].state == workflow::step_state::waiting);
  CHECK(x.store->find("a1")->limit->is_under_way);
  CHECK(x.store->find("a2")->steps[0].state == workflow::step_state::not_started);
  x.expect_whole();
  x.store.reopen();
  x.seconds = 90;
  CHECK(x.claim() == id_list{"a1"});
  CHECK(x.claim().empty());
  x.raise("a1", workflow::attempt_succeeded{{1, 1, x.store->find("a1")->lock_epoch}, workflow::blob{"{}"}, {}});
  CHECK(x.state("a1") == "processed");
  CHECK(x.claim().empty());
  CHECK(x.store->find("a2")->steps[0].state == workflow::step_state::waiting);
  x.expect_whole();
}

TEST_CASE("row 142: a claim tells of tasks that only wait from then on, and of those that it ended") {
  shop x;
  auto d = charge(1, 2);
  d.steps = {{}};
  d.steps[0].name = "first";
  d.steps[0].wait.emplace();
  d.steps[0].wait->length = std::chrono::minutes{1};
  REQUIRE(x.store.one(register_definition{d}).result == write_status::applied);
  x.submit("a1");
  x.submit("a2");
  const auto told = [&x](std::int64_t seconds) { return x.store.one(claim_tasks{"s1", 100, at(seconds)}).others; };
  const auto number_of = [&x](const std::string& id) { return x.store->find(id)->number; };
  CHECK(told(1).numbers == std::vector<std::uint64_t>{number_of("a1")});
  CHECK(told(2).numbers.empty());
  const auto o = x.store->commit({claim_tasks{"s1", 100, at(90)}}).at(0);
  CHECK(o.as<claim_result>().others.numbers == std::vector<std::uint64_t>{number_of("a1"), number_of("a2")});
  REQUIRE(o.tasks.size() == 1); // that ended; and the turn is that of the other
  CHECK(o.tasks[0].number == number_of("a1"));
  CHECK(o.tasks[0].state == workflow::process_state::processed);
  CHECK(x.state("a1") == "processed");
  CHECK(x.store->find("a2")->steps[0].state == workflow::step_state::waiting);
  x.expect_whole();
}

TEST_CASE("row 133: keys have their turns, however many tasks of one wait") {
  shop x{5};
  for (int i = 0; i < 50; ++i)
    x.submit("a" + std::to_string(i));
  x.submit("b0", "bob");
  x.submit("c0", "cleo");
  const auto first = x.claim(3); // one of each
  CHECK(std::count(first.begin(), first.end(), "b0") == 1);
  CHECK(std::count(first.begin(), first.end(), "c0") == 1);
  for (int i = 1; i < 4; ++i)
    x.submit("b" + std::to_string(i), "bob");
  for (int i = 0; i < 3; ++i) { // one place at a time: they take turns
    const auto one = x.claim(1);
    const auto other = x.claim(1);
    REQUIRE(one.size() == 1);
    REQUIRE(other.size() == 1);
    CHECK(one[0][0] != other[0][0]);
  }
  x.expect_whole();
}

TEST_CASE("row 133: what is set aside gives its place to the next, and a stray or missing place is found") {
  shop x;
  x.submit("a1");
  x.submit("a2");
  x.claim();
  const auto group = group_of("charge", "/customer", "ada");
  const auto number = x.store->find("a1")->number;
  SECTION("missing") {
    tamper(x.store, [&](lmdb::transaction& txn) {
      CHECK(txn.erase(txn.open_table("limit_places").value(), key{group, number}));
    });
    CHECK_FALSE(x.store->check().faults.empty());
  }
  SECTION("stray") {
    tamper(x.store, [&](lmdb::transaction& txn) {
      txn.put(txn.open_table("limit_places").value(), key{group, std::uint64_t{77}}, {});
    });
    CHECK_FALSE(x.store->check().faults.empty());
  }
  SECTION("not given") {
    x.succeed("a1");
    x.expect_whole();
    tamper(x.store, [&](lmdb::transaction& txn) {
      const auto tag = workflow_tag("charge");
      const std::uint8_t priority = 5;
      const std::uint32_t one = 1;
      CHECK(txn.erase(txn.open_table("ready").value(), key{priority, tag, group, number + 1}));
      CHECK(txn.erase(txn.open_table("limit_places").value(), key{group, number + 1, priority, tag, one}));
      txn.put(txn.open_table("limit_waits").value(), key{group, priority, number + 1, tag, one}, {});
    });
    CHECK_FALSE(x.store->check().faults.empty());
  }
  SECTION("set aside") {
    tamper(x.store, [&](lmdb::transaction& txn) { txn.put(txn.open_table("tasks").value(), key{number}, "damaged"); });
    CHECK(x.claim().empty());
    REQUIRE(x.store.one(set_aside_damaged{number, "a test", at(x.seconds)}).result == write_status::applied);
    CHECK(x.claim() == id_list{"a2"});
  }
}

TEST_CASE("row 133: a task that has ended and keeps its place gives it to the next when it is set aside") {
  shop x{1, std::chrono::hours{1}};
  x.submit("a1");
  x.submit("a2");
  x.claim();
  x.succeed("a1");
  REQUIRE(x.claim().empty());
  const auto number = x.store->find("a1")->number;
  tamper(x.store, [&](lmdb::transaction& txn) { txn.put(txn.open_table("tasks").value(), key{number}, "damaged"); });
  REQUIRE(x.store.one(set_aside_damaged{number, "a test", at(x.seconds)}).result == write_status::applied);
  x.expect_whole();
  CHECK(x.claim() == id_list{"a2"});
}

TEST_CASE("row 132: whatever happens to tasks of many keys, the store is whole and no key has more than it may") {
  for (unsigned seed = 0; seed < 20; ++seed) {
    INFO("seed " << seed);
    std::mt19937 chance{seed};
    const std::uint32_t at_a_time = 1 + seed % 3;
    shop x{at_a_time};
    std::vector<std::string> all;
    for (int i = 0; i < 150; ++i) {
      const unsigned what = chance() % 8;
      const auto any = all.empty() ? std::string{} : all[chance() % all.size()];
      try {
        if (what < 3) {
          all.push_back("t" + std::to_string(i));
          auto w = charge_of(all.back(), std::string(1, static_cast<char>('a' + chance() % 3)), x.seconds);
          if (chance() % 4 == 0)
            w.what.not_before = at(x.seconds + static_cast<std::int64_t>(chance() % 20));
          w.what.priority = static_cast<std::uint8_t>(4 + chance() % 2);
          REQUIRE(x.store.one(w).created);
        } else if (what == 3) {
          x.claim(1 + chance() % 3);
        } else if (any.empty()) {
          continue;
        } else if (what == 4) {
          x.succeed(any);
        } else if (what == 5) {
          x.refuse(any);
        } else if (what == 6) {
          x.raise(any, chance() % 2 ? workflow::event{workflow::suspended{eve}} : workflow::resumed{eve});
        } else {
          free_locks lost;
          lost.scheduler = "s1";
          lost.max = 10;
          lost.graceful = chance() % 2 == 0;
          lost.now = at(x.seconds++);
          x.store.one(lost);
        }
      } catch (const std::logic_error&) { // the event does not fit
      }
      if (chance() % 20 == 0)
        x.store.reopen();
      std::map<std::string, std::uint32_t> under_way;
      for (const auto& id : all)
        if (const auto t = x.store->find(id); t->limit->is_under_way)
          ++under_way[t->limit->key];
      for (const auto& [key, count] : under_way)
        CHECK(count <= at_a_time);
    }
    x.expect_whole();
  }
}

// ---- so many that begin within a time ----

TEST_CASE("row 137: no more of a key begin within `per` than the limit says, though those before have ended") {
  shop x{2, std::chrono::seconds{60}};
  for (const auto* id : {"a1", "a2", "a3", "a4", "a5"})
    x.submit(id);
  x.submit("b1", "bob");
  CHECK(x.claim() == id_list{"a1", "a2", "b1"}); // at 1 s
  x.succeed("a1");
  x.refuse("a2");
  CHECK(x.state("a2") == "undone");
  x.expect_whole();
  CHECK(x.claim().empty());
  x.store.reopen();
  CHECK(x.store.one(claim_tasks{"s1", 10, at(60)}).next == at(61)); // so the scheduler comes in time
  x.seconds = 61;
  CHECK(x.claim() == id_list{"a3", "a4"});
  x.expect_whole();
  x.seconds = 200;
  CHECK(x.claim().empty()); // they are under way, however long
  x.succeed("a3");
  CHECK(x.claim() == id_list{"a5"}); // the time of a3 was over long ago
  x.expect_whole();
}

TEST_CASE("row 137: a place that is kept is given when its time is over, whether or not its task is there") {
  shop x{1, std::chrono::seconds{60}};
  x.submit("a1");
  x.submit("a2");
  REQUIRE(x.claim() == id_list{"a1"});
  x.succeed("a1");
  purge_ended purge;
  purge.workflow = "charge";
  purge.keep.keep_for = workflow::span{1};
  purge.max = 10;
  purge.now = at(30);
  REQUIRE(x.store.one(purge).purged == 1);
  x.expect_whole();
  CHECK(x.claim().empty());
  x.seconds = 61;
  CHECK(x.claim() == id_list{"a2"});
  x.expect_whole();
}

TEST_CASE("row 137: a task is told of those under way, and when the first place that is kept is free") {
  shop x{2, std::chrono::seconds{60}};
  for (const auto* id : {"a1", "a2", "a3"})
    x.submit(id);
  x.submit("b1", "bob");
  REQUIRE(x.claim() == id_list{"a1", "a2", "b1"}); // at 1 s
  const auto queue = [&x] { return *x.store->find_limit_queue(x.store->find("a3")->number); };
  CHECK(queue().holders == id_list{"a1", "a2"});
  CHECK(queue().free_at == workflow::unset);
  x.succeed("b1");
  CHECK(queue().free_at == workflow::unset);
  x.succeed("a1");
  CHECK(queue().holders == id_list{"a2"});
  CHECK(queue().free_at == at(61));
  x.succeed("a2");
  CHECK(queue().holders.empty());
  CHECK(queue().free_at == at(61));
  x.raise("a1", workflow::undo_requested{eve});
  CHECK(queue().holders == id_list{"a1"});
}

TEST_CASE("row 137: a task that is undone after its end counts until that has ended, and once") {
  shop x{1, std::chrono::seconds{60}};
  x.submit("a1");
  x.submit("a2");
  REQUIRE(x.claim() == id_list{"a1"});
  x.succeed("a1");
  x.raise("a1", workflow::undo_requested{eve});
  REQUIRE(x.claim() == id_list{"a1"});
  x.expect_whole();
  x.seconds = 100;
  CHECK(x.claim().empty());
  x.expect_whole();
}

TEST_CASE("row 132: a task that is taken in under way counts, and one that has ended brings no place that it kept") {
  shop there{1, std::chrono::seconds{60}};
  shop here{1, std::chrono::seconds{60}};
  const auto move = [&](const std::string& id) {
    const auto o = here.store.one(import_task{*there.store->export_task(id), "eve", "a test", at(3)});
    INFO(o.why);
    REQUIRE(o.result == write_status::applied);
  };
  for (const auto* id : {"a1", "b1"})
    there.submit(id, id == std::string{"a1"} ? "ada" : "bob");
  REQUIRE(there.claim() == id_list{"a1", "b1"});
  there.succeed("a1");
  there.submit("a2");
  for (const auto* id : {"a1", "a2", "b1"})
    move(id);
  here.submit("b2", "bob");
  here.raise("a2", workflow::resumed{eve});
  CHECK(here.claim() == id_list{"a2"});
  CHECK(here.store->find_limit_queue(here.store->find("b2")->number)->holders == id_list{"b1"});
  here.raise("b1", workflow::cancelled{eve});
  here.expect_whole();
}
