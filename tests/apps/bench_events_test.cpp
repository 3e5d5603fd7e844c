// What a follower of tasks counts: each change once, and in order.

#include "apps/bench/load/seen_events.hpp"

#include <catch2/catch.hpp>

#include <string>

using namespace steadfast::bench;

namespace {

std::string change(unsigned task, unsigned revision) {
  return "id: 1-2-3\nevent: changed\ndata: {\"task\":{\"changed_at\":\"2027-01-01T00:00:00.000Z\",\"id\":\"follow-"
         + std::to_string(task) + "\",\"revision\":" + std::to_string(revision) + "}}\n\n";
}

} // namespace

TEST_CASE("a follower counts changes that are missing, told twice and told in another order") {
  event_counts c;
  seen_events stream{c};
  const std::chrono::system_clock::time_point now{};
  const auto take = [&](const std::string& message) { stream.take(message, now); };
  take(":\n\n");
  CHECK(c.began == 0);
  take("HTTP/1.1 200 OK\r\n\r\nid: 1-2-2\n\n");
  CHECK(c.began == 1);
  CHECK(c.ready == 0);
  take(change(1, 1));
  take(change(2, 1));
  CHECK(c.ready == 2);
  CHECK(c.events == 0);
  take(change(1, 2));
  take(change(1, 3));
  take(change(2, 2));
  CHECK(c.events == 3);
  CHECK(c.missed + c.repeated == 0);
  take(change(2, 2));
  CHECK(c.repeated == 1);
  take(change(1, 6));
  CHECK(c.missed == 2);
  take(change(1, 5));
  CHECK(c.repeated == 2);
  take(change(1, 7)); // one that came late has not put the clock back
  CHECK(c.missed == 2);
  CHECK(c.began == 1);
}
