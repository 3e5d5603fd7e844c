// Who is next for a scheduler, what is freed and what may leave, without a disk.

#include "tests/unit/store/support.hpp"
#include "tests/unit/store/verbs/tasks/waiting_in_memory.hpp"

#include "store/verbs/tasks/decide_lock.hpp"
#include "store/verbs/tasks/decide_purge.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <map>
#include <set>

using namespace steadfast;
using namespace steadfast::store;
using namespace steadfast::store::test;

namespace {

/// Takes what is neither damaged nor ended by being taken.
struct taker {
  waiting_in_memory& waiting;
  std::set<std::uint64_t> damaged{};
  std::set<std::uint64_t> ends{};

  std::optional<workflow::task> operator()(std::uint64_t number, const workflow::event& e) const {
    if (damaged.contains(number))
      return std::nullopt;
    waiting.remove(number);
    workflow::task t;
    t.number = number;
    if (!ends.contains(number))
      t.locked_by = std::get<workflow::taken>(e).scheduler;
    return t;
  }
};

claim_tasks claim_of(std::size_t max) {
  return {"s1", max, at(1)};
}

/// Nobody remembers whose turn it was.
store::answer<claim_tasks> claim(const claim_tasks& w, const waiting_in_memory& waiting, const event_applier& take) {
  group_turns turns;
  return decide(w, waiting, turns, take);
}

std::vector<std::uint64_t> numbers_of(const store::answer<claim_tasks>& o) {
  std::vector<std::uint64_t> all;
  for (const auto& t : o.tasks)
    all.push_back(t.number);
  return all;
}

using numbers = std::vector<std::uint64_t>;

purge_ended purge_of(std::size_t max, workflow::retention keep, std::int64_t now = 100) {
  return {"delivery", keep, max, {}, at(now)};
}

std::vector<ended_task> ended_at_seconds(std::int64_t count) {
  std::vector<ended_task> all;
  for (std::int64_t i = 0; i < count; ++i)
    all.push_back({at(i), static_cast<std::uint64_t>(i)});
  return all;
}

} // namespace

TEST_CASE("a claim of values goes by priority, and then by age") {
  waiting_in_memory waiting;
  waiting.add(5, "a", 1);
  waiting.add(5, "a", 2);
  waiting.add(0, "a", 3);
  waiting.add(9, "a", 4);
  const auto o = claim(claim_of(3), waiting, taker{waiting});
  CHECK(numbers_of(o) == numbers{3, 1, 2});
  CHECK(o.more);
  CHECK(numbers_of(claim(claim_of(3), waiting, taker{waiting})) == numbers{4});
}

TEST_CASE("a claim of values tells when the next task may be taken, and that there is more once it may") {
  waiting_in_memory waiting;
  waiting.due = at(2);
  auto o = claim(claim_of(1), waiting, taker{waiting});
  CHECK(o.next == at(2));
  CHECK_FALSE(o.more);
  waiting.due = at(1);
  CHECK(claim(claim_of(1), waiting, taker{waiting}).more);
}

TEST_CASE("a claim of values passes over damaged tasks, and counts those that ended as gone") {
  waiting_in_memory waiting;
  for (std::uint64_t i = 1; i <= 5; ++i)
    waiting.add(5, "a", i);
  const auto o = claim(claim_of(2), waiting, taker{waiting, {1}, {2}});
  CHECK(numbers_of(o) == numbers{3, 4});
  CHECK(waiting.count() == 2); // the damaged one, and the next
  const auto rest = claim(claim_of(9), waiting, taker{waiting, {1}});
  CHECK(numbers_of(rest) == numbers{5});
  CHECK_FALSE(rest.more); // the damaged one is not to be had
}

TEST_CASE("row 133: a claim of values goes round the groups of a workflow, and on from the last one") {
  constexpr auto group = std::uint64_t{1} << 63U;
  waiting_in_memory waiting;
  for (std::uint64_t i = 1; i <= 6; ++i)
    waiting.add_to_group("a", group + 1, i);
  waiting.add_to_group("a", group + 2, 20);
  waiting.add_to_group("a", group + 3, 30);
  waiting.add_to_group("a", group + 3, 31);
  group_turns turns;
  const auto taken = [&](std::size_t max) { return numbers_of(decide(claim_of(max), waiting, turns, taker{waiting})); };
  CHECK(taken(2) == numbers{1, 20});
  CHECK(taken(3) == numbers{30, 2, 31});
  waiting.add(5, "a", 40); // has begun, or has no limit: each second one
  waiting.add(5, "a", 41);
  waiting.add(5, "a", 42);
  CHECK(taken(5) == numbers{40, 3, 41, 4, 42});
  CHECK(taken(9) == numbers{5, 6});
}

TEST_CASE("row 133: damaged tasks of a group do not hold up the others") {
  constexpr auto group = std::uint64_t{1} << 63U;
  waiting_in_memory waiting;
  for (std::uint64_t i = 1; i <= 3; ++i)
    waiting.add_to_group("a", group + 1, i);
  waiting.add_to_group("a", group + 2, 4);
  CHECK(numbers_of(claim(claim_of(9), waiting, taker{waiting, {1, 4}})) == numbers{2, 3});
}

TEST_CASE("a claim gives tasks as they are after their events and families, and only those that its scheduler has") {
  const auto w = claim_of(9);
  const auto had_by = [](std::uint64_t number, const std::string& scheduler, const std::string& cause = {}) {
    workflow::task t;
    t.number = number;
    t.locked_by = scheduler;
    t.cause = cause;
    return t;
  };
  answer<claim_tasks> said = applied();
  said.tasks = {had_by(1, "s1"), had_by(2, "s1"), had_by(3, "s1")};
  claim_wake wake;
  wake.before.others = {{8}, {{"s2", 8}}};
  wake.after = {{2, had_by(2, "s1", "took an event")}, {3, had_by(3, "")}, {9, had_by(9, "s2")}};
  follow(said, w, wake);
  CHECK(numbers_of(said) == numbers{1, 2});
  CHECK(said.tasks[1].cause == "took an event");
  CHECK(said.others.numbers == numbers{9, 3, 8});
  REQUIRE(said.others.locked.size() == 2);
  CHECK(said.others.locked[0].scheduler == "s2");
  CHECK(said.next == w.now.now); // one of them may be taken now
}

TEST_CASE("a claim that leaves something to be told is to be made again at once") {
  const auto w = claim_of(9);
  answer<claim_tasks> said = applied();
  claim_wake wake;
  follow(said, w, wake);
  CHECK(said.next == workflow::never);
  wake.before.more = true;
  follow(said, w, wake);
  CHECK(said.next == w.now.now);
}

TEST_CASE("a claim under no name, or one that is too long, is refused") {
  CHECK(problem_of(claim_tasks{"", 1, at(1)}));
  CHECK(problem_of(claim_tasks{std::string(129, 's'), 1, at(1)}));
  CHECK_FALSE(problem_of(claim_tasks{std::string(128, 's'), 1, at(1)}));
}

TEST_CASE("locks of values are freed up to the bound, but for those that stay") {
  free_locks w{"s1", 2, false, at(1), {11, 13}};
  numbers freed;
  const auto free = [&](std::uint64_t number, const workflow::event& e) -> std::optional<workflow::task> {
    CHECK(std::holds_alternative<workflow::lock_lapsed>(e));
    freed.push_back(number);
    return workflow::task{};
  };
  const auto o = decide(w, {11, 12, 13, 14, 15}, free);
  CHECK(freed == numbers{12, 14});
  CHECK(o.freed == 2);
  CHECK(o.more);
  CHECK_FALSE(decide(w, {11, 12, 13}, free).more);
  CHECK(looked_at_max(w) > w.max + w.except.size());
  w.scheduler.clear();
  CHECK(looked_at_max(w) == 0);
}

TEST_CASE("locks of values are given back by a scheduler that says so itself") {
  free_locks w{"s1", 2, true, at(1)};
  const auto free = [](std::uint64_t, const workflow::event& e) -> std::optional<workflow::task> {
    CHECK(std::holds_alternative<workflow::lock_released>(e));
    return std::nullopt; // damaged
  };
  CHECK(decide(w, {1, 2, 3}, free).freed == 0);
}

TEST_CASE("ended tasks of values leave when they are too old or too many, the first that ended first") {
  numbers left;
  const auto leave = [&](std::uint64_t number) {
    left.push_back(number);
    return true;
  };
  workflow::retention keep;
  keep.keep_for = std::chrono::seconds{98};
  const auto old = decide(purge_of(10, keep), 5, ended_at_seconds(5), leave);
  CHECK(left == numbers{0, 1, 2});
  CHECK(old.purged == 3);
  CHECK(old.next == at(3 + 98));
  CHECK_FALSE(old.more);

  left.clear();
  keep = {};
  keep.keep_at_most = 1;
  const auto many = decide(purge_of(2, keep), 5, ended_at_seconds(5), leave);
  CHECK(left == numbers{0, 1});
  CHECK(many.more);
  CHECK(many.reached.number == 1);
}

TEST_CASE("of ended tasks with very many children so few leave at once that one write can bear them") {
  workflow::retention keep;
  keep.keep_at_most = 0;
  const auto o = decide(purge_of(10, keep), 4, ended_at_seconds(4), [](std::uint64_t) { return 15'000; });
  CHECK(o.purged == 2);
  CHECK(o.more);
  CHECK(o.reached.number == 1);
}

TEST_CASE("ended tasks of values that cannot leave yet are passed, and counted so that no other leaves for them") {
  workflow::retention keep;
  keep.keep_at_most = 2;
  const auto o = decide(purge_of(10, keep), 4, ended_at_seconds(4), [](std::uint64_t number) { return number != 0; });
  CHECK(o.purged == 1);
  CHECK(o.reached.passed == 1);
  CHECK(o.reached.number == 1);
}

TEST_CASE("a task leaves only when it ended well, nobody needs its alert, and its observer was told") {
  CHECK(may_leave(workflow::process_state::processed, {}));
  CHECK_FALSE(may_leave(workflow::process_state::error, {}));
  CHECK_FALSE(may_leave(workflow::process_state::processed, {true, false}));
  CHECK_FALSE(may_leave(workflow::process_state::processed, {false, true}));
}
