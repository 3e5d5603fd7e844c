#include "actors/common/deadline_timer.hpp"

#include "actors/common/observed.hpp"
#include "actors/protocol/protocols.hpp"
#include "tests/actors/test_node.hpp"

#include <catch2/catch.hpp>

#include <caf/typed_event_based_actor.hpp>

#include <memory>
#include <vector>

namespace {

using namespace steadfast;
using namespace std::chrono_literals;
using waiting_actor = caf::typed_actor<actors::takes<void(actors::tick_timer)>>;

/// How far the time since the boot is ahead of CAF's clock: the machine slept so long.
caf::actor_clock::duration_type slept{};
const caf::actor_clock* caf_clock = nullptr;
caf::actor_clock::time_point since_boot() {
  return caf_clock->now() + slept;
}

struct heard {
  std::size_t messages = 0;
  std::vector<workflow::instant> fired;
};

/// Waits for each of the moments.
class waiter : public actors::observed<waiting_actor> {
public:
  waiter(caf::actor_config& cfg, const actors::node_clock& clock, std::vector<workflow::instant> moments,
         std::shared_ptr<heard> h)
      : observed{cfg},
        clock_{clock},
        moments_{std::move(moments)},
        heard_{std::move(h)} {}

  behavior_type make_behavior() override {
    for (const auto at : moments_)
      timer_.set<waiting_actor>(this, clock_, at);
    return {[this](const actors::tick_timer& m) {
      ++heard_->messages;
      if (timer_.fires<waiting_actor>(this, clock_, m))
        heard_->fired.push_back(clock_.now(this));
    }};
  }

private:
  actors::node_clock clock_;
  std::vector<workflow::instant> moments_;
  std::shared_ptr<heard> heard_;
  actors::deadline_timer timer_;
};

} // namespace

TEST_CASE("row 52: a timer fires when its moment came while the machine slept") {
  tests::test_node node;
  caf_clock = &node.system().clock();
  slept = 0s;
  const actors::node_clock clock{tests::midday, since_boot(), {}, since_boot};
  const auto h = std::make_shared<heard>();
  const auto waits =
    node.keep(node.system().spawn<waiter>(clock, std::vector<workflow::instant>{tests::midday + 1h}, h));
  node.advance(10s);
  REQUIRE(h->fired.empty());
  slept = 20min;
  node.advance(10s);
  REQUIRE(h->fired.empty());
  slept = 1h;
  node.advance(2s);
  REQUIRE(h->fired.size() == 1);
  CHECK(h->fired.front() >= tests::midday + 1h);
  const auto messages = h->messages;
  node.advance(1h);
  CHECK(h->fired.size() == 1);
  CHECK(h->messages == messages);
}

TEST_CASE("a timer that is set for earlier and earlier moments fires at each of them, and no more often than it must") {
  tests::test_node node;
  const auto h = std::make_shared<heard>();
  const std::vector<workflow::instant> moments{tests::midday + 1h, tests::midday + 1min, tests::midday + 30min,
                                               tests::midday};
  const auto waits = node.keep(node.system().spawn<waiter>(node.clock(), moments, h));
  node.advance(2h);
  CHECK(h->fired == std::vector<workflow::instant>{tests::midday, tests::midday + 1min, tests::midday + 1h});
  CHECK(h->messages == 3);
}
