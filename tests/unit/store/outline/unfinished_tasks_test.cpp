// Counting goes on in snapshots while tasks change: each change counts once, whichever snapshot shows it.

#include "store/outline/unfinished_tasks.hpp"

#include <catch2/catch.hpp>

using namespace steadfast::store;
using steadfast::workflow::process_state;
using part = unfinished_tasks::part;

namespace {

task_move became(std::uint64_t number, process_state from, process_state to) {
  return {number, "trip", from, to};
}

std::uint64_t of(const unfinished_tasks& tasks, process_state s) {
  const auto now = tasks.now();
  REQUIRE(now);
  return now->contains("trip") ? now->at("trip").at(s) : 0;
}

/// That many tasks that were there are pending.
unfinished_tasks::counted_part pending(std::uint64_t until, std::uint64_t transaction, std::uint64_t tasks) {
  return {until, transaction, {{"trip", {{process_state::pending, tasks}}}}};
}

} // namespace

TEST_CASE("unfinished tasks: of an empty store they are known at once, and ended ones are not counted") {
  unfinished_tasks tasks;
  tasks.begin_again(0);
  CHECK_FALSE(tasks.begin_part());
  tasks.note({{1, "trip", {}, process_state::pending}, {2, "trip", {}, process_state::pending}}, 7);
  tasks.note({became(1, process_state::pending, process_state::processing)}, 8);
  CHECK(of(tasks, process_state::pending) == 1);
  CHECK(of(tasks, process_state::processing) == 1);
  tasks.note({became(1, process_state::processing, process_state::processed),
              became(2, process_state::pending, process_state::error)},
             9);
  CHECK(of(tasks, process_state::processing) == 0);
  CHECK(of(tasks, process_state::error) == 1);
  CHECK_FALSE(tasks.now()->at("trip").contains(process_state::processed));
  tasks.note({became(1, process_state::processed, process_state::undoing), {2, "trip", process_state::error, {}}}, 10);
  CHECK(of(tasks, process_state::undoing) == 1);
  CHECK(of(tasks, process_state::error) == 0);
}

TEST_CASE("unfinished tasks: nothing is told before all that were there are counted, part by part") {
  unfinished_tasks tasks;
  tasks.begin_again(10);
  const auto first = tasks.begin_part();
  REQUIRE(first);
  CHECK(first->after == 0);
  CHECK(first->last == 10);
  CHECK_FALSE(tasks.begin_part()); // one at a time
  tasks.end_part(*first, pending(4, 5, 4));
  CHECK_FALSE(tasks.now());
  const auto second = tasks.begin_part();
  REQUIRE(second);
  CHECK(second->after == 4);
  tasks.drop_part(*second);
  const auto again = tasks.begin_part();
  REQUIRE(again);
  CHECK(again->after == 4);
  tasks.end_part(*again, pending(10, 6, 6));
  CHECK(of(tasks, process_state::pending) == 10);
  CHECK_FALSE(tasks.begin_part());
}

TEST_CASE("unfinished tasks: a change counts once, noted before, during or after the part that has its task") {
  const auto move = became(3, process_state::pending, process_state::processing);
  for (const std::uint64_t of_move : {4U, 5U, 6U}) {
    INFO("the snapshot is that of transaction 5, the change of " << of_move);
    const bool is_in_snapshot = of_move <= 5;
    const auto shown = [&] {
      return is_in_snapshot
               ? unfinished_tasks::counted_part{4,
                                                5,
                                                {{"trip",
                                                  {{process_state::pending, 3}, {process_state::processing, 1}}}}}
               : pending(4, 5, 4);
    };
    const auto rest = pending(10, 9, 6);
    SECTION("during, " + std::to_string(of_move)) {
      unfinished_tasks tasks;
      tasks.begin_again(10);
      const auto p = tasks.begin_part();
      tasks.note({move}, of_move);
      tasks.end_part(*p, shown());
      tasks.end_part(*tasks.begin_part(), rest);
      CHECK(of(tasks, process_state::pending) == 9);
      CHECK(of(tasks, process_state::processing) == 1);
    }
    SECTION("after, " + std::to_string(of_move)) {
      unfinished_tasks tasks;
      tasks.begin_again(10);
      tasks.end_part(*tasks.begin_part(), shown());
      tasks.note({move}, of_move);
      tasks.end_part(*tasks.begin_part(), rest);
      CHECK(of(tasks, process_state::pending) == 9);
      CHECK(of(tasks, process_state::processing) == 1);
    }
    SECTION("after all, " + std::to_string(of_move)) {
      unfinished_tasks tasks;
      tasks.begin_again(10);
      tasks.end_part(*tasks.begin_part(), shown());
      tasks.end_part(*tasks.begin_part(), rest);
      tasks.note({move}, of_move);
      CHECK(of(tasks, process_state::pending) == 9);
      CHECK(of(tasks, process_state::processing) == 1);
    }
  }
}

TEST_CASE("unfinished tasks: what changes in a task of a later part is seen by that part") {
  unfinished_tasks tasks;
  tasks.begin_again(10);
  tasks.note({became(8, process_state::pending, process_state::processing)}, 3); // before any part
  const auto first = tasks.begin_part();
  tasks.note({became(9, process_state::pending, process_state::processing)}, 5); // during an earlier one
  tasks.end_part(*first, pending(4, 4, 4));
  const auto second = tasks.begin_part();
  tasks.end_part(*second, {10, 6, {{"trip", {{process_state::pending, 4}, {process_state::processing, 2}}}}});
  CHECK(of(tasks, process_state::pending) == 8);
  CHECK(of(tasks, process_state::processing) == 2);
}

TEST_CASE("unfinished tasks: a part that the writer counts itself shows all that was noted, and no more") {
  unfinished_tasks tasks;
  tasks.begin_again(4);
  tasks.end_part(*tasks.begin_part(), pending(4, 0, 4));
  tasks.note({became(3, process_state::pending, process_state::processing)}, 1);
  CHECK(of(tasks, process_state::processing) == 1);
}

TEST_CASE("unfinished tasks: a part that was begun before all is counted again does not count") {
  unfinished_tasks tasks;
  tasks.begin_again(4);
  const auto old = tasks.begin_part();
  tasks.begin_again(4);
  tasks.end_part(*old, pending(4, 5, 4));
  CHECK_FALSE(tasks.now());
  const auto p = tasks.begin_part();
  REQUIRE(p);
  tasks.drop_part(*old);
  CHECK_FALSE(tasks.begin_part());
  tasks.end_part(*p, pending(4, 6, 3));
  CHECK(of(tasks, process_state::pending) == 3);
}
