#include "actors/agents/agent.hpp"

#include "actors/agents/agent_core.hpp"
#include "actors/agents/call_outcome.hpp"
#include "actors/common/deadline_timer.hpp"
#include "actors/common/observed.hpp"
#include "actors/common/send_buffer.hpp"
#include "actors/common/state_tree.hpp"

#include <caf/actor_cast.hpp>
#include <caf/actor_system.hpp>
#include <caf/typed_event_based_actor.hpp>
#include <caf/typed_response_promise.hpp>

#include <algorithm>
#include <deque>
#include <optional>
#include <utility>

namespace steadfast::actors {

namespace {

using agent_self = agent_actor::extend<takes<void(call_outcomes)>, takes<void(tick_timer)>>;

class agent_driver : public observed<agent_self>, public has_figures<agent_figures>, private agent_effects {
public:
  agent_driver(caf::actor_config& cfg, const agent_options& o, const partition_clocks& clocks, const make_caller& make)
      : observed{cfg},
        time_{clocks},
        core_{o, *this},
        caller_{make(tells<agent_self>(this))} {}

  const char* name() const override { return "agent"; }
  const agent_figures& figures() const override { return core_.figures(); }

  behavior_type make_behavior() override {
    return {
      one_by_one<step_orders>([this](step_order& o) {
        on_order(std::move(o));
        go_on();
      }),
      one_by_one<traced_orders>([this](traced_order& o) {
        on_order(std::move(o.order));
        go_on();
      }),
      one_by_one<later_orders>([this](later_order& o) {
        on_order(std::move(o.order));
        go_on();
      }),
      [this](const stop_order& m) {
        core_.on_stop(m, sender_of<report_sink>(this), now());
        go_on();
      },
      [this](const set_circuit& m) {
        core_.on_circuit(m, now());
        go_on();
        return view();
      },
      [this](const drain& m) { return on_drain(m); },
      [this](const inspect_state& m) { return state(m.listed_max); },
      one_by_one<call_outcomes>([this](ended_call& c) {
        core_.on_call_over(c.ticket, std::move(c.what), now());
        go_on();
      }),
      [this](const tick_timer& m) {
        if (timer_.fires<agent_self>(this, time_, m))
          core_.on_tick(now());
        go_on();
      },
    };
  }

  /// Timers on their way keep this object alive: what it calls must end now.
  void on_exit() override {
    drain_promise_.reset();
    caller_.reset();
  }

private:
  /// Its own time: what the core has accepted ends at the intended time, whatever happens to the clock of its order.
  workflow::instant now() const { return time_.now(this); }

  void on_order(step_order order) {
    const auto at = now();
    const auto from = sender_of<report_sink>(this);
    const auto& clock = time_.of_task(order.task_number);
    if (!clock.follows(order.clock))
      return core_.on_order(std::move(order), from, at, "its node has to learn the store's clock");
    order.complete_by = clock.at(order.complete_by);
    core_.on_order(std::move(order), from, at);
  }

  /// After each thing that may have changed what is open.
  void go_on() {
    for (; !over_.empty(); over_.pop_front())
      core_.on_call_over(over_.front().ticket, std::move(over_.front().what), now());
    finish_drain();
    timer_.set<agent_self>(this, time_, std::min(core_.next_due(), drain_until_));
  }

  agent_view view() const {
    auto v = core_.view(now());
    v.kind = caller_->kind();
    v.service = caller_->service();
    return v;
  }

  actor_state state(std::size_t listed_max) const {
    const auto v = view();
    auto tree = core_.tree(listed_max, now());
    tree.add({{"kind", v.kind},
              {"circuit", v.circuit},
              {"circuit_open_until", v.circuit_open_until},
              {"circuit_held_open_by", v.held_open_by},
              {"draining", v.draining},
              {"in_flight", v.in_flight},
              {"in_flight_max", v.in_flight_max},
              {"abandoned", v.abandoned},
              {"queued", v.queued},
              {"orders", v.orders},
              {"calls", v.tries},
              {"succeeded", v.succeeded},
              {"failed", v.failed},
              {"declined", v.declined},
              {"silenced", v.silenced},
              {"refused", v.refused},
              {"name", v.name},
              {"service", v.service},
              {"lately_succeeded", v.lately_succeeded},
              {"lately_refused", v.lately_refused},
              {"lately_failed", v.lately_failed},
              {"p50_ms", v.p50.count()},
              {"p99_ms", v.p99.count()},
              {"last_failure", v.last_failure},
              {"last_failure_at", v.last_failure_at},
              {"last_refusal", v.last_refusal},
              {"last_refusal_at", v.last_refusal_at}});
    const std::string draining = !v.draining ? "" : core_.is_idle() ? "drained, " : "draining, ";
    const std::string why = v.circuit == "closed" || v.last_failure.empty() ? "" : " (" + v.last_failure + ")";
    return state_of(draining + "circuit " + v.circuit + why + ", " + std::to_string(v.in_flight) + " of "
                      + counted(v.in_flight_max, "call") + ", " + std::to_string(v.queued) + " waiting",
                    tree, v.in_flight + v.queued);
  }

  // ---- stopping ----

  caf::result<drained> on_drain(const drain& m) {
    core_.drain();
    drain_until_ = now() + m.limit;
    drain_promise_ = make_response_promise<drained>();
    auto answer = *drain_promise_;
    go_on();
    return answer;
  }

  void finish_drain() {
    if (!drain_promise_ || (!core_.is_idle() && now() < drain_until_))
      return;
    reports_.send_all(this); // before it says that all is over, it says how it ended
    drain_promise_->deliver(drained{});
    drain_promise_.reset();
    drain_until_ = workflow::never;
  }

  void start(call_ticket ticket, call what) override {
    if (auto a = caller_->start(ticket, std::move(what)))
      over_.push_back({ticket, *std::move(a)});
  }
  void ask_to_end(call_ticket ticket) override { caller_->ask_to_end(ticket); }
  void stop(call_ticket ticket) override { caller_->stop(ticket); }
  void abandon(call_ticket ticket) override { caller_->abandon(ticket); }
  void report(const report_sink& to, attempt_report what) override { reports_.add(this, to, std::move(what)); }
  void after_message() override { reports_.send_all(this); }

  mutable even_clocks time_;
  agent_core core_;
  send_buffer<report_sink, attempt_reports> reports_;
  deadline_timer timer_;
  std::unique_ptr<caller> caller_;
  std::deque<ended_call> over_; ///< at once, and not yet passed to the core
  workflow::instant drain_until_ = workflow::never;
  std::optional<caf::typed_response_promise<drained>> drain_promise_;
};

} // namespace

agent_actor spawn_agent(caf::actor_system& sys, const agent_options& o, const partition_clocks& clocks,
                        const make_caller& make) {
  return sys.spawn<agent_driver>(o, clocks, make);
}

} // namespace steadfast::actors
