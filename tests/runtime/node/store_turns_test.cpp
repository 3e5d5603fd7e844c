// When the thread that follows a store is woken.

#include "runtime/node/store_turns.hpp"

#include <catch2/catch.hpp>

using namespace std::chrono_literals;
using namespace steadfast;

TEST_CASE("turns: a node that is told to leave is woken, and acts at once, each time that it is told") {
  store_turns turns;
  const std::stop_source end;
  CHECK_FALSE(turns.was_told_to_leave());
  for (int i = 0; i < 2; ++i) { // drained, and then stopped
    turns.leave(0ms);
    CHECK(turns.wait_to_look(60s, end.get_token()));
    CHECK(turns.was_told_to_leave());
    CHECK_FALSE(turns.was_told_to_leave());
  }
  CHECK(turns.is_leaving());
}
