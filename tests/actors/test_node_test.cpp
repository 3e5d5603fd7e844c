#include "tests/actors/recorder.hpp"
#include "tests/actors/test_node.hpp"

#include <catch2/catch.hpp>

using namespace steadfast;
using namespace std::chrono_literals;
using tests::midday;

namespace {

using sleeper_actor =
  caf::typed_actor<actors::takes<void(actors::tick_timer)>, actors::takes<actors::drained(actors::drain)>>;

/// Tells `to` of each tick, the first three of which it sets itself, a second apart.
sleeper_actor::behavior_type sleeper(sleeper_actor::pointer self,
                                     caf::typed_actor<actors::takes<void(actors::tick_timer)>> to) {
  actors::tell_after(self, sleeper_actor{self}, 1s, actors::tick_timer{1});
  return {
    [self, to](const actors::tick_timer& m) {
      actors::tell(self, to, m);
      if (m.generation < 3)
        actors::tell_after(self, sleeper_actor{self}, 1s, actors::tick_timer{m.generation + 1});
    },
    [](const actors::drain& m) {
      return actors::drained{static_cast<std::uint64_t>(m.limit.count()), 0};
    },
  };
}

} // namespace

TEST_CASE("a test node's time stands still until it is moved") {
  tests::test_node node;
  tests::recorder<actors::tick_timer> heard{node.system()};
  auto actor = node.keep(node.system().spawn(sleeper, heard.handle()));
  node.run();
  CHECK(node.now() == midday);
  CHECK(heard.seen().empty());
  node.advance(999ms);
  CHECK(heard.seen().empty());
  node.advance(1ms);
  CHECK(heard.seen().size() == 1);
  CHECK(node.now() == midday + 1s);
}

TEST_CASE("timers that are set by timers go off within one move of the clock") {
  tests::test_node node;
  tests::recorder<actors::tick_timer> heard{node.system()};
  auto actor = node.keep(node.system().spawn(sleeper, heard.handle()));
  node.advance(10s);
  CHECK(heard.take().size() == 3);
  CHECK(heard.seen().empty());
  CHECK(node.now() == midday + 10s);
  CHECK(node.pending_timers() == 0);
}

TEST_CASE("a test node hands over the answer to a question") {
  tests::test_node node;
  tests::recorder<actors::tick_timer> heard{node.system()};
  auto actor = node.keep(node.system().spawn(sleeper, heard.handle()));
  auto answer = node.ask<actors::drained>(actor, actors::drain{workflow::span{7}});
  REQUIRE(answer.has_value());
  CHECK(answer->finished == 7);
}

TEST_CASE("a message told in somebody's name has that sender") {
  using echo_actor = caf::typed_actor<actors::takes<void(actors::tick_timer)>>;
  tests::test_node node;
  tests::recorder<actors::tick_timer> heard{node.system()};
  auto echo = node.keep(node.system().spawn([](echo_actor::pointer self) -> echo_actor::behavior_type {
    return {[self](const actors::tick_timer& m) { actors::tell(self, actors::sender_of<echo_actor>(self), m); }};
  }));
  node.tell(heard.handle(), echo, actors::tick_timer{4});
  node.run();
  REQUIRE(heard.seen().size() == 1);
  CHECK(heard.seen()[0].generation == 4);
}
