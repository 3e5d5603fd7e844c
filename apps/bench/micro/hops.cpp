// Messages between two actors of one process, with the settings of a node. An item is a message that arrived.

#include "actors/common/observed.hpp"
#include "actors/protocol/messages.hpp"
#include "actors/protocol/type_ids.hpp"

#include <benchmark/benchmark.h>

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <future>
#include <thread>
#include <utility>

namespace {

namespace actors = steadfast::actors;
namespace workflow = steadfast::workflow;

/// Gets a number and sends it back, one less, until it is 0.
struct ball {
  std::uint64_t left = 0;
};
STEADFAST_MESSAGE(ball, x.left)

using player = caf::typed_actor<actors::takes<void(ball)>, actors::takes<void(actors::step_order)>>;

struct settings : caf::actor_system_config {
  settings() {
    add_message_types<caf::id_block::steadfast>();
    set("scheduler.max-threads", std::max(2U, std::thread::hardware_concurrency()));
    set("scheduler.policy", caf::atom("sharing"));
  }
};

actors::step_order some_order() {
  actors::step_order o;
  o.task_id = "0123456789abcdef-1";
  o.workflow = "bench";
  o.step_name = "step-1";
  o.key = "0123456789abcdef-1/step-1";
  o.input = std::string(200, 'x');
  return o;
}

/// Base: with mailbox meter, as every actor of a node, or without.
template <class Base>
class returner : public Base {
public:
  returner(caf::actor_config& cfg, std::promise<void>* ended, player other = {})
      : Base{cfg},
        ended_{ended},
        other_{std::move(other)} {}

  typename Base::behavior_type make_behavior() override {
    return {
      [this](const ball& b) {
        if (b.left == 0)
          ended_->set_value();
        else
          actors::tell(this, other_ ? other_ : actors::sender_of<player>(this), ball{b.left - 1});
      },
      [this](const actors::step_order& o) {
        benchmark::DoNotOptimize(o.input.data());
        if (o.step == 0)
          ended_->set_value();
      },
    };
  }

private:
  std::promise<void>* ended_;
  player other_; ///< whom the ball that comes from outside is thrown to
};

template <class Base>
void ping_pong(benchmark::State& state) {
  constexpr std::uint64_t hops = 10'000;
  settings cfg;
  caf::actor_system sys{cfg};
  for (auto _ : state) {
    std::promise<void> ended;
    const player b = sys.spawn<returner<Base>>(&ended);
    const player a = sys.spawn<returner<Base>>(&ended, b);
    actors::tell_from_outside(a, ball{hops});
    ended.get_future().wait();
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(hops));
}
BENCHMARK_TEMPLATE(ping_pong, player::base)->UseRealTime();
BENCHMARK_TEMPLATE(ping_pong, actors::observed<player>)->UseRealTime();

/// Orders to a busy actor: nobody waits for an answer.
template <class Base>
void orders(benchmark::State& state) {
  constexpr std::uint32_t count = 10'000;
  settings cfg;
  caf::actor_system sys{cfg};
  const auto order = some_order();
  for (auto _ : state) {
    std::promise<void> ended;
    const player to = sys.spawn<returner<Base>>(&ended);
    for (std::uint32_t left = count; left-- > 0;) {
      auto o = order;
      o.step = left;
      actors::tell_from_outside(to, std::move(o));
    }
    ended.get_future().wait();
  }
  state.SetItemsProcessed(state.iterations() * count);
}
BENCHMARK_TEMPLATE(orders, player::base)->UseRealTime();
BENCHMARK_TEMPLATE(orders, actors::observed<player>)->UseRealTime();

} // namespace
