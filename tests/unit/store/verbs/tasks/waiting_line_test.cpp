// Who is next for a scheduler, without a claim around it.

#include "tests/unit/store/support.hpp"
#include "tests/unit/store/verbs/tasks/waiting_in_memory.hpp"

#include <catch2/catch.hpp>

#include <limits>
#include <string>
#include <vector>

using namespace steadfast;
using namespace steadfast::store;
using namespace steadfast::store::test;

namespace {

/// The first `max` in line. None of them leaves those that wait.
std::vector<std::uint64_t> in_line(const waiting_in_memory& waiting, const claim_tasks& w, std::size_t max) {
  group_turns turns;
  waiting_line line{waiting, w, max, turns};
  std::vector<std::uint64_t> given;
  while (given.size() < max) {
    const auto number = line.next();
    if (!number)
      break;
    given.push_back(*number);
  }
  return given;
}

claim_tasks with_places(std::uint64_t places, std::vector<workflow_load> loads = {}) {
  claim_tasks w{"s1", 100, at(1)};
  w.places = places;
  w.loads = std::move(loads);
  for (const auto& x : w.loads)
    w.in_flight += x.load;
  return w;
}

using tasks_in_line = std::vector<std::uint64_t>;

} // namespace

TEST_CASE("the oldest of those that wait is found among all workflows and priorities") {
  waiting_in_memory waiting;
  CHECK_FALSE(oldest_of(waiting));
  waiting.add(0, "a", 7);
  waiting.add(5, "a", 4);
  waiting.add(5, "a", 3);
  waiting.add(5, "b", 5);
  CHECK(oldest_of(waiting) == 3);
  waiting.add(9, "c", 2);
  CHECK(oldest_of(waiting) == 2);
  waiting.add(std::numeric_limits<std::uint8_t>::max(), "a", 1);
  CHECK(oldest_of(waiting) == 1);
}

TEST_CASE("the search for the oldest looks at a bounded number of places") {
  waiting_in_memory waiting;
  for (std::uint64_t i = 1; i <= oldest_looked_at; ++i)
    waiting.all.insert({0, static_cast<std::uint32_t>(i), 0, 10 + i});
  CHECK(oldest_of(waiting) == 11);
  waiting.all.insert({1, 1, 0, 1});
  CHECK(oldest_of(waiting) == 11);
}

TEST_CASE("workflows of one priority take turns, however many tasks of one wait") {
  waiting_in_memory waiting;
  for (std::uint64_t i = 1; i <= 50; ++i)
    waiting.add(5, "a", i);
  waiting.add(5, "b", 60);
  waiting.add(5, "b", 61);
  const auto given = in_line(waiting, with_places(0), 4);
  REQUIRE(given.size() == 4);
  CHECK(std::set<std::uint64_t>(given.begin(), given.end()) == std::set<std::uint64_t>{1, 2, 60, 61});
}

TEST_CASE("a workflow that has much of the scheduler lets others go first") {
  waiting_in_memory waiting;
  for (std::uint64_t i = 1; i <= 5; ++i)
    waiting.add(5, "a", i);
  waiting.add(5, "b", 60);
  waiting.add(5, "b", 61);
  CHECK(in_line(waiting, with_places(100, {{"a", 10}}), 3) == tasks_in_line{60, 61, 1});
}

TEST_CASE("a workflow gets no more than its share, and what it leaves goes to one of lower priority") {
  waiting_in_memory waiting;
  for (std::uint64_t i = 1; i <= 9; ++i)
    waiting.add(5, "a", i);
  waiting.add(9, "b", 60);
  CHECK(in_line(waiting, with_places(4, {{"a", 4}}), 9) == tasks_in_line{60});
}

TEST_CASE("of equal workflows the one behind the last that got a place is first") {
  waiting_in_memory waiting;
  waiting.add(5, "a", 1);
  waiting.add(5, "b", 2);
  auto w = with_places(0);
  w.after = "a";
  CHECK(in_line(waiting, w, 1) == tasks_in_line{2});
  w.after = "b";
  CHECK(in_line(waiting, w, 1) == tasks_in_line{1});
}

TEST_CASE("tasks that cannot be taken are passed, and the line ends") {
  waiting_in_memory waiting;
  waiting.add(5, "a", 1);
  waiting.add(5, "a", 2);
  waiting.add_to_group("a", (std::uint64_t{1} << 63U) + 1, 3);
  CHECK(in_line(waiting, with_places(0), 9).size() == 3); // none of them twice, though all stay
}
