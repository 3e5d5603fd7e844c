#include "actors/agent.hpp"

#include "actors/agent_desk.hpp"
#include "actors/alarm.hpp"

#include <caf/actor_cast.hpp>
#include <caf/actor_system.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <utility>

namespace steadfast::actors {

/// A call's outcome on its way from whatever thread it ended on to the agent. Never leaves the process.
struct call_outcome_note {
  call_ticket ticket = 0;
  answer what;
};
STEADFAST_MESSAGE(call_outcome_note, x.ticket, x.what.kind, x.what.result, x.what.why, x.what.maybe_done,
                  x.what.retry_after)

namespace {

using agent_self = agent_actor::extend<takes<void(call_outcome_note)>, takes<void(tick_timer)>>;

class agent_process : public agent_self::base, private agent_hands {
public:
  agent_process(caf::actor_config& cfg, const agent_options& o, const node_clock& clock, const make_caller& make)
      : agent_self::base{cfg},
        clock_{clock},
        desk_{o, *this},
        caller_{make(speaker())} {}

  const char* name() const override { return "agent"; }

  behavior_type make_behavior() override {
    return {
      [this](const step_order& m) {
        desk_.on_order(m, sender_of<report_sink>(this), now());
        set_alarm();
      },
      [this](const stop_order& m) {
        desk_.on_stop(m, sender_of<report_sink>(this), now());
        set_alarm();
      },
      [this](const describe&) {
        auto view = desk_.view(now());
        view.kind = caller_->kind();
        return view;
      },
      [this](call_outcome_note& m) {
        desk_.on_call_over(m.ticket, std::move(m.what), now());
        set_alarm();
      },
      [this](const tick_timer& m) {
        if (alarm_.rings(m))
          desk_.on_tick(now());
        set_alarm();
      },
    };
  }

  /// Timers on their way keep this object alive: what it calls must end now.
  void on_exit() override { caller_.reset(); }

private:
  workflow::instant now() const { return clock_.now(this); }
  void set_alarm() { alarm_.set<agent_self>(this, clock_, desk_.next_due()); }

  /// Holds the agent weakly: a call that never ends must not keep it.
  call_over speaker() {
    return [to = caf::actor_cast<caf::weak_actor_ptr>(this)](call_ticket ticket, answer what) {
      if (const auto self = caf::actor_cast<caf::strong_actor_ptr>(to))
        tell_from_outside(caf::actor_cast<agent_self>(self), call_outcome_note{ticket, std::move(what)});
    };
  }

  void start(call_ticket ticket, call what) override { caller_->start(ticket, std::move(what)); }
  void stop(call_ticket ticket) override { caller_->stop(ticket); }
  void abandon(call_ticket ticket) override { caller_->abandon(ticket); }
  void report(const report_sink& to, attempt_report what) override { tell(this, to, std::move(what)); }

  node_clock clock_;
  agent_desk desk_;
  alarm alarm_;
  std::unique_ptr<caller> caller_;
};

} // namespace

agent_actor spawn_agent(caf::actor_system& sys, const agent_options& o, const node_clock& clock,
                        const make_caller& make) {
  return sys.spawn<agent_process>(o, clock, make);
}

} // namespace steadfast::actors
