#include "actors/common/clock.hpp"

#include <catch2/catch.hpp>

#include <memory>

using namespace steadfast;
using namespace std::chrono_literals;

namespace {

/// In place of an actor.
struct onlooker {
  struct steady {
    caf::actor_clock::time_point shown;
    caf::actor_clock::time_point now() const { return shown; }
  };
  steady steady_clock;
  steady& clock() { return steady_clock; }
};

} // namespace

TEST_CASE("row 86: a node that has taken the store goes by its own clock, whatever is learnt of others later") {
  onlooker self;
  const workflow::instant set_at{1000s};
  const workflow::instant theirs{2000s};
  const auto lead = std::make_shared<actors::shared_lead>();
  const actors::node_clock clock{set_at, self.steady_clock.shown, lead};
  lead->set({{5s, 5s, set_at}, theirs});
  actors::even_clock even{clock};
  REQUIRE(clock.reading(&self).now == set_at + 5s);
  const auto before = even.now(&self);

  lead->end(set_at);
  lead->set({{7s, 7s, set_at}, theirs});
  CHECK(clock.reading(&self).now == set_at);
  CHECK(clock.reading(&self).set_at == set_at);
  CHECK(even.now(&self) == before);
  self.steady_clock.shown += 10h;
  CHECK(clock.now(&self) == set_at + 10h);
  CHECK(even.now(&self) == before + 10h); // it knows its own clock for sure
}
