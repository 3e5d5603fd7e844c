#include "actors/common/due_queue.hpp"

#include <catch2/catch.hpp>

using namespace steadfast;
using namespace std::chrono_literals;
using actors::due_queue;

namespace {

constexpr workflow::instant twelve{43'200'000ms};

} // namespace

TEST_CASE("an empty queue has nothing due, ever") {
  due_queue q;
  CHECK(q.next() == workflow::never);
  CHECK(q.take_due(twelve).empty());
}

TEST_CASE("what is due comes out in the order of its time, and once") {
  due_queue q;
  q.set(twelve + 2s, 1, 0);
  q.set(twelve + 1s, 2, 0);
  q.set(twelve + 3s, 3, 0);
  CHECK(q.next() == twelve + 1s);
  const auto due = q.take_due(twelve + 2s);
  REQUIRE(due.size() == 2);
  CHECK(due[0].task == 2);
  CHECK(due[1].task == 1);
  CHECK(q.take_due(twelve + 2s).empty());
  CHECK(q.next() == twelve + 3s);
}

TEST_CASE("a deadline is due at its time to the tick and not before") {
  due_queue q;
  q.set(twelve, 1, 0);
  CHECK(q.take_due(twelve - 1ms).empty());
  CHECK(q.take_due(twelve).size() == 1);
}

TEST_CASE("a later deadline of the same step takes the place of the earlier one") {
  due_queue q;
  q.set(twelve, 1, 0);
  q.set(twelve + 1s, 1, 0);
  CHECK(q.size() == 1);
  CHECK(q.take_due(twelve).empty());
  CHECK(q.take_due(twelve + 1s).size() == 1);
}

TEST_CASE("the steps of a task have deadlines of their own") {
  due_queue q;
  q.set(twelve, 1, 0);
  q.set(twelve + 1s, 1, 1);
  const auto due = q.take_due(twelve);
  REQUIRE(due.size() == 1);
  CHECK(due[0].step == 0);
  CHECK(q.next() == twelve + 1s);
}

TEST_CASE("a task that is forgotten leaves nothing behind, and the others stay") {
  due_queue q;
  q.set(twelve, 1, 0);
  q.set(twelve, 1, 1);
  q.set(twelve, 2, 0);
  q.forget(1);
  q.forget(7);
  CHECK(q.size() == 1);
  const auto due = q.take_due(twelve);
  REQUIRE(due.size() == 1);
  CHECK(due[0].task == 2);
}
