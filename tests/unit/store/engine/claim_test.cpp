#include "tests/unit/store/support.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <set>

using namespace steadfast;
using namespace steadfast::store;
using namespace steadfast::store::test;

namespace {

std::vector<std::string> ids(const std::vector<workflow::task>& tasks) {
  std::vector<std::string> all;
  for (const auto& t : tasks)
    all.push_back(t.id);
  return all;
}

store::write submission(const std::string& id, std::uint8_t priority, workflow::instant not_before = workflow::unset) {
  auto s = order(id);
  s.priority = priority;
  s.not_before = not_before;
  return submit_task{s, at(0)};
}

workflow::definition bulk() {
  auto d = delivery();
  d.name = "bulk";
  return d;
}

store::write of_workflow(const std::string& name, const std::string& id, std::uint8_t priority = 5) {
  auto s = order(id);
  s.workflow = name;
  s.priority = priority;
  return submit_task{s, at(0)};
}

/// 40 of `bulk`, named b0 to b39, and then `few` of `delivery`, d0 and so on.
void line_up(opened_store& store, int few) {
  store->commit({register_definition{bulk()}});
  std::vector<store::write> all;
  for (int i = 0; i < 40; ++i)
    all.push_back(of_workflow("bulk", "b" + std::to_string(i)));
  for (int i = 0; i < few; ++i)
    all.push_back(of_workflow("delivery", "d" + std::to_string(i)));
  store->commit(all);
}

claim_tasks claim_of(std::size_t max, std::uint64_t places, std::vector<workflow_load> loads = {}) {
  claim_tasks w{"s1", max, at(1)};
  w.places = places;
  for (const auto& x : loads)
    w.in_flight += x.load;
  w.loads = std::move(loads);
  return w;
}

std::size_t count_of(const std::vector<workflow::task>& tasks, const std::string& workflow) {
  return static_cast<std::size_t>(
    std::count_if(tasks.begin(), tasks.end(), [&](const workflow::task& t) { return t.workflow == workflow; }));
}

} // namespace

TEST_CASE("tasks are claimed by priority, then by age") {
  opened_store store;
  store->commit({submission("late", 9), submission("b", 5), submission("a", 5), submission("first", 0)});
  const auto o = store.one(claim_tasks{"s1", 10, at(1)});
  CHECK(ids(o.tasks) == std::vector<std::string>{"first", "b", "a", "late"});
  CHECK_FALSE(o.more);
  CHECK(o.next == workflow::never);
}

TEST_CASE("no priority is stepped over") {
  opened_store store;
  for (std::uint8_t p = 0; p < 10; ++p)
    store->commit({submission("p" + std::to_string(9 - p), static_cast<std::uint8_t>(9 - p))});
  CHECK(ids(store.one(claim_tasks{"s1", 10, at(1)}).tasks)
        == std::vector<std::string>{"p0", "p1", "p2", "p3", "p4", "p5", "p6", "p7", "p8", "p9"});
}

TEST_CASE("a backlog of one workflow does not keep the tasks of another waiting: they are claimed in turns") {
  opened_store store;
  line_up(store, 2);
  const auto o = store.one(claim_of(5, 100));
  CHECK(count_of(o.tasks, "delivery") == 2);
  CHECK(count_of(o.tasks, "bulk") == 3);
  CHECK(o.more);
  const auto of_bulk = ids(store.one(claim_of(3, 100)).tasks);
  CHECK(of_bulk == std::vector<std::string>{"b3", "b4", "b5"}); // by age
}

TEST_CASE("a scheduler whose places one workflow has all takes tasks of others, and of that one nothing") {
  opened_store store;
  line_up(store, 3);
  const auto o = store.one(claim_of(2, 16, {{"bulk", 16}}));
  CHECK(ids(o.tasks) == std::vector<std::string>{"d0", "d1"});
  CHECK(o.more);
  CHECK(ids(store.one(claim_of(2, 16, {{"bulk", 16}, {"delivery", 2}})).tasks).empty());
  CHECK(ids(store.one(claim_of(2, 16, {{"bulk", 15}, {"delivery", 2}})).tasks) == std::vector<std::string>{"d2"});
}

TEST_CASE("a workflow alone gets every place of a scheduler, whatever the priorities") {
  opened_store store;
  for (int i = 0; i < 20; ++i)
    store->commit({of_workflow("delivery", "t" + std::to_string(i), static_cast<std::uint8_t>(i % 3))});
  CHECK(store.one(claim_of(18, 10)).tasks.size() == 10);
  const auto o = store.one(claim_of(18, 10, {{"delivery", 10}}));
  CHECK(o.tasks.empty());
  CHECK(o.more);
}

TEST_CASE("priority goes before shares, but for a workflow that has its share already") {
  opened_store store;
  store->commit({register_definition{bulk()}});
  store->commit({of_workflow("delivery", "urgent1", 0), of_workflow("bulk", "b", 5),
                 of_workflow("delivery", "urgent2", 0), of_workflow("delivery", "urgent3", 0)});
  CHECK(ids(store.one(claim_of(1, 10)).tasks) == std::vector<std::string>{"urgent1"});
  CHECK(ids(store.one(claim_of(1, 10, {{"delivery", 4}})).tasks) == std::vector<std::string>{"urgent2"});
  CHECK(ids(store.one(claim_of(1, 10, {{"delivery", 10}})).tasks) == std::vector<std::string>{"b"});
}

TEST_CASE("claims of one task at a time go round among workflows that have nothing in flight") {
  opened_store store;
  std::vector<store::write> all;
  constexpr int workflows = 50; // more than a claim for one looks at
  for (int i = 0; i < workflows; ++i) {
    auto d = delivery();
    d.name = "w" + std::to_string(i);
    all.emplace_back(register_definition{d});
  }
  for (int i = 0; i < workflows; ++i)
    for (int j = 0; j < 3; ++j)
      all.push_back(of_workflow("w" + std::to_string(i), std::to_string(i) + "." + std::to_string(j)));
  store->commit(all);
  std::string last;
  for (int round = 0; round < 3; ++round) {
    std::set<std::string> seen;
    for (int i = 0; i < workflows; ++i) {
      auto w = claim_of(1, 1);
      w.after = last;
      const auto o = store.one(w);
      REQUIRE(o.tasks.size() == 1);
      last = o.tasks[0].workflow;
      seen.insert(last);
    }
    CHECK(seen.size() == workflows);
  }
}

TEST_CASE("a claimed task is as stored: locked, processing, its first steps running, its payload there") {
  opened_store store{GENERATE(commits::alone, commits::shared)};
  const auto payload = GENERATE(as<std::string>{}, "[1,2]", '"' + std::string(5000, 'x') + '"');
  store.submit("a", payload);
  const auto t = store.take("s1");
  CHECK(t.locked_by == "s1");
  CHECK(t.lock_epoch == 1);
  CHECK(t.state == workflow::process_state::processing);
  CHECK(t.steps[0].state == workflow::step_state::running);
  CHECK(t.payload.view() == payload);
  CHECK(store->find("a") == t);
}

TEST_CASE("row 16: two schedulers take one task at once, exactly one gets it") {
  opened_store store;
  store.submit("a");
  const auto o = store->commit({claim_tasks{"s1", 1, at(1)}, claim_tasks{"s2", 1, at(1)}});
  CHECK(o[0].as<claim_result>().tasks.size() == 1);
  CHECK(o[1].as<claim_result>().tasks.empty());
  CHECK(store->find("a")->locked_by == "s1");
  CHECK(store.one(claim_tasks{"s2", 1, at(2)}).tasks.empty());
}

TEST_CASE("row 16: two schedulers that read the same pending task cannot both write to it") {
  opened_store store;
  store.submit("a");
  const auto t = *store->find("a");
  const auto mine = update_by(t, delivery(), workflow::taken{"s1"}, at(1));
  const auto theirs = update_by(t, delivery(), workflow::taken{"s2"}, at(1));
  const auto o = store->commit({theirs, mine});
  CHECK(o[0].result == write_status::applied);
  CHECK(o[1].result == write_status::stale_lock);
  CHECK(store->find("a")->locked_by == "s2");
}

TEST_CASE("a task that must not start yet is claimed when its time has come, by its priority") {
  opened_store store;
  store->commit({submission("soon", 0, at(10)), submission("now", 9), submission("later", 5, at(20))});
  auto o = store.one(claim_tasks{"s1", 10, at(1)});
  CHECK(ids(o.tasks) == std::vector<std::string>{"now"});
  CHECK(o.next == at(10));
  CHECK_FALSE(o.more);
  o = store.one(claim_tasks{"s1", 10, at(9)});
  CHECK(o.tasks.empty());
  o = store.one(claim_tasks{"s1", 10, at(10)});
  CHECK(ids(o.tasks) == std::vector<std::string>{"soon"});
  CHECK(o.next == at(20));
  o = store.one(claim_tasks{"s1", 1, at(30)});
  CHECK(ids(o.tasks) == std::vector<std::string>{"later"});
  CHECK(o.next == workflow::never);
}

TEST_CASE("delayed tasks line up with those that wait already") {
  opened_store store;
  store->commit({submission("urgent", 0, at(10)), submission("old", 5), submission("young", 5)});
  CHECK(ids(store.one(claim_tasks{"s1", 2, at(11)}).tasks) == std::vector<std::string>{"urgent", "old"});
}

TEST_CASE("a claim for nothing takes nothing and tells that there is more") {
  opened_store store;
  store.submit("a");
  const auto o = store.one(claim_tasks{"s1", 0, at(1)});
  CHECK(o.tasks.empty());
  CHECK(o.more);
  CHECK(store.one(claim_tasks{"", 1, at(1)}).result == write_status::refused);
}

TEST_CASE("locks are freed by scheduler, in parts, and the tasks can be taken again") {
  opened_store store;
  for (const char* id : {"a", "b", "c", "d"})
    store.submit(id);
  store.one(claim_tasks{"s1", 3, at(1)});
  store.one(claim_tasks{"s10", 3, at(1)});

  auto o = store.one(free_locks{"s1", 2, false, at(2)});
  CHECK(o.freed == 2);
  CHECK(o.more);
  o = store.one(free_locks{"s1", 2, false, at(2)});
  CHECK(o.freed == 1);
  CHECK_FALSE(o.more);
  CHECK(store.one(free_locks{"s1", 2, false, at(2)}).freed == 0);
  CHECK(store->find("d")->locked_by == "s10");
  CHECK(ids(store.one(claim_tasks{"s2", 9, at(3)}).tasks) == std::vector<std::string>{"a", "b", "c"});
}

TEST_CASE("a lost scheduler is counted against the task, one that gave it back is not") {
  opened_store store;
  store.submit("a");
  store.take("s1");
  store.one(free_locks{"s1", 10, false, at(2)});
  CHECK(store->find("a")->takeovers == 1);
  store.take("s2", 3);
  store.one(free_locks{"s2", 10, true, at(4)});
  CHECK(store->find("a")->takeovers == 1);
}

TEST_CASE("row 76: a task that loses its scheduler again and again is set in error with an alert, not handed out") {
  opened_store store;
  store.submit("poison");
  store.submit("good");
  const auto max = delivery().takeovers_max;
  for (std::uint32_t i = 0; i <= max; ++i) {
    REQUIRE(store.take("s", 1 + i).id == "poison");
    store.one(free_locks{"s", 1, false, at(1 + i)});
  }
  const auto o = store.one(claim_tasks{"s", 10, at(100)});
  CHECK(ids(o.tasks) == std::vector<std::string>{"good"});
  CHECK(store->find("poison")->state == workflow::process_state::error);
  REQUIRE(store->alerts(true, 10).size() == 1);
  CHECK(store->alerts(true, 10)[0].task_id == "poison");
}
