// Lists, counts, the deadline index and figures.

#include "simulation/judge/count_all.hpp"
#include "tests/unit/store/support.hpp"

#include <catch2/catch.hpp>

#include <algorithm>

using namespace steadfast;
using namespace steadfast::store;
using namespace steadfast::store::test;
using workflow::process_state;

namespace {

/// a and d pending, b processing, c processed.
void add_four_tasks(opened_store& store) {
  for (const char* id : {"c", "b", "a", "d"})
    store.submit(id);
  const auto c = store.take("s1");
  store.one(success_of(c, 0));
  store.one(success_of(*store->find("c"), 1));
  store.take("s2");
}

std::vector<std::string> ids(const task_page& page) {
  std::vector<std::string> all;
  for (const auto& t : page.tasks)
    all.push_back(t.id);
  return all;
}

using names = std::vector<std::string>;

} // namespace

TEST_CASE("tasks are listed newest first, page by page") {
  opened_store store;
  add_four_tasks(store);
  auto page = store->list({}, {}, 3);
  CHECK(ids(page) == names{"d", "a", "b"});
  REQUIRE(page.next);
  page = store->list({}, page.next, 3);
  CHECK(ids(page) == names{"c"});
  CHECK_FALSE(page.next);
  CHECK_FALSE(store->list({}, {}, 4).next);
}

TEST_CASE("a list can be of states, a workflow, a scheduler, a text and a time of submission") {
  opened_store store;
  add_four_tasks(store);
  task_filter f;
  f.states = {process_state::processed, process_state::pending};
  CHECK(ids(store->list(f, {}, 10)) == names{"d", "a", "c"});
  CHECK(simulation::count_all(*store, f) == 3);
  f = {};
  f.states = {process_state::processing};
  CHECK(ids(store->list(f, {}, 10)) == names{"b"});
  CHECK(simulation::count_all(*store, f) == 1);
  f = {};
  f.locked_by = "s2";
  CHECK(ids(store->list(f, {}, 10)) == names{"b"});
  f.locked_by = "s";
  CHECK(store->list(f, {}, 10).tasks.empty());
  f = {};
  f.workflow = "delivery";
  CHECK(simulation::count_all(*store, f) == 4);
  f.workflow = "other";
  CHECK(simulation::count_all(*store, f) == 0);
  f = {};
  f.text = "d";
  CHECK(ids(store->list(f, {}, 10)) == names{"d"});
  f = {};
  f.agent = "package"; // b is under way there, the others have not begun or have ended
  CHECK(ids(store->list(f, {}, 10)) == names{"b"});
  CHECK(simulation::count_all(*store, f) == 1);
  f = {};
  f.submitted_before = at(0);
  CHECK(store->list(f, {}, 10).tasks.empty());
  f.submitted_before = at(1);
  f.submitted_after = at(-1);
  CHECK(store->list(f, {}, 10).tasks.size() == 4);
  CHECK(simulation::count_all(*store) == 4);
}

TEST_CASE("a list can be of ends, which tasks that go on do not have") {
  opened_store store;
  add_four_tasks(store); // c ended at 2
  task_filter f;
  f.ended_after = at(1);
  CHECK(ids(store->list(f, {}, 10)) == names{"c"});
  CHECK(simulation::count_all(*store, f) == 1);
  f.ended_before = at(2);
  CHECK(simulation::count_all(*store, f) == 0);
  f.ended_after = workflow::unset;
  f.ended_before = at(3);
  CHECK(ids(store->list(f, {}, 10)) == names{"c"});
}

TEST_CASE("a list can be of the step where tasks stand, and of a cause whatever ids it names") {
  opened_store store;
  add_four_tasks(store);
  task_filter f;
  f.step = "package"; // b is under way there; a and d begin with it
  CHECK(ids(store->list(f, {}, 10)) == names{"d", "a", "b"});
  f.step = "drone";
  CHECK(simulation::count_all(*store, f) == 0);

  const auto b = *store->find("b");
  workflow::attempt_failed refused;
  refused.ref = {0, b.steps[0].attempt, b.lock_epoch};
  refused.permanent = true;
  refused.why = "HTTP 422: parcel 4711 is too large";
  store.one(update_by(b, delivery(), refused, at(3)));
  f = {};
  f.cause = store->find("b")->cause;
  REQUIRE_FALSE(f.cause.empty());
  CHECK(ids(store->list(f, {}, 10)) == names{"b"});
  f.cause.replace(f.cause.find("4711"), 4, "4712");
  CHECK(ids(store->list(f, {}, 10)) == names{"b"});
  f.cause = "something else";
  CHECK(simulation::count_all(*store, f) == 0);
}

TEST_CASE("a page that is full says that there is another only if there is a match for it") {
  opened_store store;
  for (const char* id : {"x1", "other", "x2", "x3", "another"})
    store.submit(id);
  task_filter f;
  f.text = "x";
  auto page = store->list(f, {}, 2);
  CHECK(ids(page) == names{"x3", "x2"});
  REQUIRE(page.next);
  page = store->list(f, page.next, 2);
  CHECK(ids(page) == names{"x1"});
  CHECK_FALSE(page.next);
  CHECK_FALSE(store->list(f, {}, 3).next);
}

TEST_CASE("a task is overdue from its next_due on, the oldest first, page by page") {
  opened_store store;
  for (const char* id : {"a", "b", "c"})
    store.submit(id);
  const auto limit = delivery().steps[0].complete_by;
  store.take("s1", 20);
  store.take("s1", 10);
  store.take("s1", 30);
  CHECK(store->overdue(at(10) + limit - workflow::span{1}, {}, 10).tasks.empty());
  auto page = store->overdue(at(10) + limit, {}, 10);
  REQUIRE(page.tasks.size() == 1);
  CHECK(page.tasks[0].id == "b");
  CHECK_FALSE(page.next);

  page = store->overdue(at(60) + limit, {}, 2);
  REQUIRE(page.tasks.size() == 2);
  CHECK(page.tasks[0].id == "b");
  CHECK(page.tasks[1].id == "a");
  REQUIRE(page.next);
  page = store->overdue(at(60) + limit, page.next, 2);
  REQUIRE(page.tasks.size() == 1);
  CHECK(page.tasks[0].id == "c");
}

TEST_CASE("a task that ended is never overdue") {
  opened_store store;
  store.submit("a");
  store.one(success_of(store.take(), 0));
  store.one(success_of(*store->find("a"), 1));
  CHECK(store->overdue(workflow::instant_max, {}, 10).tasks.empty());
}

TEST_CASE("the figures say since when the oldest task could have been taken") {
  opened_store store;
  CHECK(store->counts().ready_since == workflow::never);
  auto later = order("later");
  later.not_before = at(1000);
  store.one(submit_task{later, at(0)});
  CHECK(store->counts().ready_since == at(1000)); // it waits, but not yet for a scheduler
  store.one(submit_task{order("b"), at(20)});
  store.one(submit_task{order("c"), at(30)});
  CHECK(store->counts().ready_since == at(20));
  store.take("s1", 40);
  CHECK(store->counts().ready_since == at(30));
  store.take("s1", 50);
  CHECK(store->counts().ready_since == at(1000));
  CHECK(store.take("s1", 2000).id == "later");
  CHECK(store->counts().ready_since == workflow::never);
}

TEST_CASE("the figures count tasks by state, what is claimable, and bytes") {
  opened_store store;
  add_four_tasks(store);
  auto s = store->counts();
  CHECK(s.tasks[process_state::pending] == 2);
  CHECK(s.tasks[process_state::processing] == 1);
  CHECK(s.tasks[process_state::processed] == 1);
  CHECK(s.tasks[process_state::error] == 0);
  CHECK(s.claimable == 2);
  CHECK(s.last_number == 4);
  auto later = order("later");
  later.not_before = at(1000);
  store.one(submit_task{later, at(0)});
  CHECK(store->counts().claimable == 3);
  s = store->counts();
  CHECK(store->sizes().bytes_used > 0);
  CHECK(store->sizes().bytes_used <= store->sizes().bytes_mapped);
  CHECK(store->sizes().bytes_max == store.options().size_max);
  store.reopen();
  CHECK(store->counts().tasks == s.tasks);
}

TEST_CASE("definitions are found by version, or the newest") {
  opened_store store;
  store.one(register_definition{delivery(7)});
  CHECK(store->find_definition("delivery", 1)->version == 1);
  CHECK(store->find_definition("delivery", 0)->version == 7);
  CHECK_FALSE(store->find_definition("delivery", 2));
  CHECK_FALSE(store->find_definition("deliver", 0));
  CHECK_FALSE(store->find_definition("", 0));
  CHECK(store->definitions({}, 1000).size() == 2);
}

TEST_CASE("definitions are listed in pages of so many steps, each once, by name and version") {
  opened_store store;
  for (std::uint32_t version = 1; version <= 20; ++version)
    store.one(register_definition{delivery(version)});
  const auto steps = GENERATE(1U, 7U, 1000U);
  std::vector<std::uint32_t> versions;
  state_store::definition_place reached;
  for (bool more = true; more;) {
    const auto page = store->definitions(reached, steps);
    CHECK(page.size() <= steps / delivery(1).steps.size() + 1);
    for (const auto& d : page) {
      versions.push_back(d.version);
      reached = {d.name, d.version};
    }
    more = !page.empty();
  }
  CHECK(versions.size() == 20);
  CHECK(std::is_sorted(versions.begin(), versions.end()));
  CHECK(std::adjacent_find(versions.begin(), versions.end()) == versions.end());
}

TEST_CASE("what was never there is absent") {
  opened_store store;
  CHECK_FALSE(store->find("nothing"));
  CHECK_FALSE(store->find(""));
  CHECK_FALSE(store->find(std::string(1000, 'x')));
  CHECK_FALSE(store->find(7));
  CHECK(store->damaged().empty());
}

TEST_CASE("a count in parts is the same as one at once, and no part looks at more than some thousands") {
  opened_store store;
  std::vector<store::write> batch;
  for (int i = 0; i < 4500; ++i)
    batch.emplace_back(submit_task{order("t-" + std::to_string(i)), at(0)});
  store->commit(batch);
  task_filter f;
  f.text = "9";
  std::size_t found = 0;
  std::size_t parts = 0;
  std::optional<std::uint64_t> before;
  do {
    const auto part = store->count_part(f, before);
    found += part.matched;
    before = part.next;
    ++parts;
  } while (before);
  CHECK(parts == 3);
  CHECK(found > 1000);
}

TEST_CASE("a part of a question reads fewer tasks the more steps they have, and the parts together read all") {
  opened_store store;
  auto d = delivery();
  d.name = "long";
  d.steps.clear();
  for (int i = 0; i < 160; ++i)
    d.steps.push_back(step_named("step-" + std::to_string(i)));
  store.one(register_definition{d});
  constexpr std::size_t tasks = 250;
  std::vector<store::write> batch;
  for (std::size_t i = 0; i < tasks; ++i) {
    auto s = order("long-" + std::to_string(i));
    s.workflow = "long";
    batch.emplace_back(submit_task{std::move(s), at(0)});
  }
  store->commit(batch);
  task_filter f;
  f.text = "long-";
  std::size_t parts = 0;
  std::size_t matched = 0;
  std::optional<std::uint64_t> before;
  do {
    const auto part = store->count_part(f, before);
    CHECK(part.matched <= 100);
    matched += part.matched;
    before = part.next;
    ++parts;
  } while (before);
  CHECK(matched == tasks);
  CHECK(parts == 3);
  CHECK(store->list(f, {}, 1000).tasks.size() <= 100);
}
