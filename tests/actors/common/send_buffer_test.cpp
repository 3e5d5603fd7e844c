#include "actors/common/send_buffer.hpp"

#include "actors/common/observed.hpp"
#include "actors/protocol/protocols.hpp"
#include "tests/actors/recorder.hpp"
#include "tests/actors/test_node.hpp"

#include <catch2/catch.hpp>

#include <caf/typed_event_based_actor.hpp>

#include <numeric>

namespace {

using namespace steadfast;
using sink = tests::recorder<actors::attempt_reports>;
using speaking_actor = caf::typed_actor<actors::takes<void(actors::flush)>>;

/// Says this many things to each of two in turn when it is told to.
class speaker : public actors::observed<speaking_actor> {
public:
  speaker(caf::actor_config& cfg, sink::handle_type a, sink::handle_type b, std::uint64_t count)
      : observed{cfg},
        a_{std::move(a)},
        b_{std::move(b)},
        count_{count} {}

  behavior_type make_behavior() override {
    return {[this](actors::flush) {
      for (std::uint64_t i = 0; i < count_; ++i)
        for (const auto& to : {a_, b_}) {
          actors::attempt_report r;
          r.task_number = i;
          said_.add(this, to, std::move(r));
        }
    }};
  }

protected:
  void after_message() override { said_.send_all(this); }

private:
  sink::handle_type a_;
  sink::handle_type b_;
  std::uint64_t count_;
  actors::send_buffer<sink::handle_type, actors::attempt_reports> said_;
};

} // namespace

TEST_CASE("what one message leads to leaves together, for each receiver in order, no more than 64 at a time") {
  tests::test_node node;
  const sink a{node.system()};
  sink b{node.system()};
  const auto count = GENERATE(0U, 1U, 64U, 65U, 200U);
  const auto from = node.system().spawn<speaker>(a.handle(), b.handle(), count);
  node.tell(caf::strong_actor_ptr{}, from, actors::flush{});
  node.run();
  CHECK(b.seen().size() == (count + 63) / 64);
  std::vector<std::uint64_t> heard;
  for (const auto& m : a.seen())
    for (const auto& r : m.all)
      heard.push_back(r.task_number);
  std::vector<std::uint64_t> said(count);
  std::iota(said.begin(), said.end(), 0);
  CHECK(heard == said);
  node.tell(caf::strong_actor_ptr{}, from, actors::flush{});
  node.run();
  CHECK(b.seen().size() == 2 * ((count + 63) / 64));
}
