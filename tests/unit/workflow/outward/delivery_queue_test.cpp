#include "workflow/outward/delivery_queue.hpp"

#include "tests/support/property.hpp"

#include <catch2/catch.hpp>

#include <deque>
#include <set>
#include <string>

using namespace steadfast::workflow;
using steadfast::tests::holds;
using namespace std::chrono_literals;

namespace {

constexpr instant first_moment{span{1'000'000}};

notification told_at(instant at, const std::string& id = "x") {
  return {id, "{}", at};
}

delivery_options with_window(std::uint32_t window) {
  delivery_options o;
  o.retry.jitter_percent = 0;
  o.window = window;
  return o;
}

delivery_queue queue_of(std::initializer_list<delivery_place> places) {
  delivery_queue queue{with_window(64)};
  for (const auto& p : places)
    queue.take_in(p, told_at(first_moment));
  return queue;
}

} // namespace

TEST_CASE("of a lane one goes out at a time, and the next only when it was delivered") {
  auto queue = queue_of({{7, 1}, {7, 2}, {9, 1}});
  REQUIRE(queue.next(first_moment) == delivery_place{7, 1});
  REQUIRE(queue.next(first_moment) == delivery_place{9, 1});
  REQUIRE_FALSE(queue.next(first_moment));
  queue.delivered({7, 1});
  REQUIRE(queue.next(first_moment) == delivery_place{7, 2});
}

TEST_CASE("what was delivered does not go out again when the store still has it") {
  auto queue = queue_of({{7, 1}});
  queue.delivered(*queue.next(first_moment));
  queue.take_in({7, 1}, told_at(first_moment));
  REQUIRE_FALSE(queue.next(first_moment));
  REQUIRE(queue.next_due() == never);
  queue.forget({7, 1});
  REQUIRE(queue.size() == 0);
}

TEST_CASE("a notification that fails delays its own lane, longer each time, and no other") {
  auto queue = queue_of({{7, 1}, {7, 2}, {9, 1}});
  REQUIRE(queue.failed(*queue.next(first_moment), {}, first_moment) == delivery_queue::after_failure::again);
  REQUIRE(queue.next(first_moment) == delivery_place{9, 1});
  queue.delivered({9, 1});
  REQUIRE_FALSE(queue.next(first_moment + 999ms));
  REQUIRE(queue.next_due() == first_moment + 1s);
  REQUIRE(queue.next(first_moment + 1s) == delivery_place{7, 1});
  queue.failed({7, 1}, {}, first_moment + 1s);
  REQUIRE(queue.next_due() == first_moment + 3s);
}

TEST_CASE("a receiver that is away is tried with one notification at a time, and gets all at once when it is back") {
  auto queue = queue_of({{1, 1}, {2, 1}, {3, 1}, {4, 1}});
  for (std::uint32_t i = 0; i < delivery_queue::away_after; ++i)
    queue.failed(*queue.next(first_moment), {}, first_moment);
  REQUIRE(queue.is_away());
  REQUIRE_FALSE(queue.next(first_moment));
  REQUIRE(queue.next_due() == first_moment + 1s);
  const auto trial = queue.next(first_moment + 1s);
  REQUIRE(trial);
  REQUIRE_FALSE(queue.next(first_moment + 1s));
  SECTION("another failure, and a longer pause") {
    queue.failed(*trial, {}, first_moment + 1s);
    REQUIRE(queue.next_due() == first_moment + 3s);
  }
  SECTION("it is back") {
    queue.delivered(*trial);
    REQUIRE(queue.next(first_moment + 1s));
    REQUIRE(queue.next(first_moment + 1s));
    REQUIRE(queue.next(first_moment + 1s));
  }
}

TEST_CASE("a receiver that asks for a wait is left alone for that long") {
  auto queue = queue_of({{1, 1}, {2, 1}});
  queue.failed(*queue.next(first_moment), {30s, 0}, first_moment);
  REQUIRE_FALSE(queue.next(first_moment + 29s));
  REQUIRE(queue.next_due() == first_moment + 30s);
  REQUIRE(queue.next(first_moment + 30s));
}

TEST_CASE("a notification is given up when its time is over, and not before it was tried") {
  auto queue = queue_of({{1, 1}});
  const auto late = first_moment + delivery_options{}.give_up_after;
  REQUIRE(queue.give_up(late).empty());
  REQUIRE(queue.failed(*queue.next(late), {}, late) == delivery_queue::after_failure::given_up);
  REQUIRE_FALSE(queue.next(late + 24h));
}

TEST_CASE("those of a receiver that is away are given up untried, and the young ones are kept") {
  auto queue = queue_of({{1, 1}, {2, 1}, {3, 1}, {4, 1}});
  const auto late = first_moment + delivery_options{}.give_up_after;
  queue.take_in({5, 1}, told_at(late - 1s));
  for (std::uint32_t i = 0; i < delivery_queue::away_after; ++i)
    queue.failed(*queue.next(late), {}, late);
  REQUIRE(queue.give_up(late) == std::vector<delivery_place>{{4, 1}});
  REQUIRE(queue.oldest() == late - 1s);
}

TEST_CASE("whatever the receiver answers, all of a lane arrives in its order and nothing is lost") {
  holds(100, 100, [] {
    auto o = with_window(*rc::gen::inRange(1U, 12U));
    o.at_once = *rc::gen::inRange(1U, 5U);
    std::map<std::uint64_t, std::deque<std::uint32_t>> store; // as it is on disk
    for (std::uint64_t lane = 1; lane <= 4; ++lane)
      for (std::uint32_t i = *rc::gen::inRange(0U, 4U); i > 0; --i)
        store[lane].push_front(i);
    auto expected = store;
    std::map<std::uint64_t, std::deque<std::uint32_t>> seen;
    delivery_queue queue{o};
    instant now = first_moment;
    std::set<delivery_place> under_way;
    for (int turn = 0; turn < 100'000 && seen != expected; ++turn) {
      for (const auto& [lane, waiting] : store)
        for (const auto sequence : waiting)
          if (queue.has_room())
            queue.take_in({lane, sequence}, told_at(first_moment));
      while (const auto p = queue.next(now)) {
        RC_ASSERT(under_way.insert(*p).second);
        RC_ASSERT(under_way.size() <= o.at_once);
      }
      if (under_way.empty()) {
        RC_ASSERT(queue.next_due() > now);
        RC_ASSERT(queue.next_due() != never);
        now = queue.next_due();
        continue;
      }
      const auto p = *under_way.begin();
      under_way.erase(under_way.begin());
      if (turn > 200 || *rc::gen::arbitrary<bool>()) {
        queue.delivered(p);
        auto& of_lane = seen[p.lane];
        if (of_lane.empty() || of_lane.back() != p.sequence) // once more, after a crash, is allowed
          of_lane.push_back(p.sequence);
        auto& waiting = store[p.lane];
        while (!waiting.empty() && waiting.front() <= p.sequence)
          waiting.pop_front();
        queue.forget(p);
      } else {
        RC_ASSERT(queue.failed(p, {}, now) == delivery_queue::after_failure::again);
      }
    }
    std::erase_if(expected, [](const auto& x) { return x.second.empty(); });
    RC_ASSERT(seen == expected);
  });
}
