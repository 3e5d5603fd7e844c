// The actor around the scheduler's core: it passes on what happens, and carries out what the core decides.

#include "actors/scheduling/scheduler.hpp"

#include "actors/common/deadline_timer.hpp"
#include "actors/common/observed.hpp"
#include "actors/common/send_buffer.hpp"
#include "actors/protocol/type_ids.hpp"
#include "actors/scheduling/scheduler_core.hpp"

#include <caf/actor_system.hpp>
#include <caf/typed_event_based_actor.hpp>
#include <caf/typed_response_promise.hpp>

#include <optional>
#include <utility>

namespace steadfast::actors {

namespace {

class scheduler : public observed<scheduler_actor>, private scheduler_effects {
public:
  scheduler(caf::actor_config& cfg, scheduler_deps deps)
      : observed{cfg},
        deps_{std::move(deps)},
        core_{deps_.options, *this} {
    core_.on_agents({std::move(deps_.agents)});
  }

  const char* name() const override { return "scheduler"; }

  void on_exit() override {
    drain_promise_.reset();
    deps_ = {};
    core_.close();
  }

  behavior_type make_behavior() override {
    tell(this, deps_.store, subscribe{deps_.options.name});
    return {
      [this](const lease_changed& m) { on_lease(m); },
      [this](const agents_alive& m) { core_.on_agents(m); },
      one_by_one<attempt_reports>([this](attempt_report& r) { core_.on_report(std::move(r)); }),
      [this](const writes_done& m) {
        for (const auto& w : m.all)
          core_.on_written(w, m.clock);
      },
      [this](const store_news& m) { core_.on_news(m); },
      [this](const tick_timer& m) {
        if (timer_.fires<scheduler_actor>(this, deps_.clock, m))
          core_.on_tick();
      },
      [this](const inspect_state& m) { return core_.state(m.listed_max); },
      [this](const drain& m) { return on_drain(m); },
    };
  }

private:
  /// Handling this message is the progress that keeps the lease: a scheduler that hangs does not get to it.
  void on_lease(const lease_changed& m) {
    if (m.epoch != 0)
      tell(this, sender_of<lease_actor>(this), lease_progress{m.name});
    core_.on_lease({m.name, m.epoch});
  }

  caf::result<drained> on_drain(const drain& m) {
    drain_promise_ = make_response_promise<drained>();
    auto answer = *drain_promise_;
    core_.drain(m.limit);
    return answer;
  }

  void after_message() override {
    orders_.send_all(this);
    traced_.send_all(this);
    later_.send_all(this);
    writes_.send_all(this); // late replies too, before anybody who waits for the drain stops the store
    if (drain_promise_ && core_.is_drained()) {
      drain_promise_->deliver(core_.outcome_of_drain());
      drain_promise_.reset();
    }
    if (deps_.store) // it has not ended
      timer_.set<scheduler_actor>(this, deps_.clock, core_.next_due());
  }

  // ---- the core's effects ----

  workflow::clock_reading time() const override { return deps_.clock.reading(this); }

  void write(std::uint64_t ticket, const boxed<store::write>& what,
             const workflow::clock_reading& decided_by) override {
    write_request r;
    r.ticket = ticket;
    r.what = what;
    r.decided_by = decided_by;
    writes_.add(this, deps_.store, std::move(r));
  }

  void read(std::uint64_t task) override {
    ask(this, deps_.reader, deps_.options.reader_limit, find_task{task})
      .then([this, task](const task_view& m) { core_.on_read(task, m); },
            [this, task](const caf::error&) { core_.on_unread(task); });
  }

  void order(const agent_actor& to, step_order what) override {
    if (what.may_end_later)
      later_.add(this, to, later_order{std::move(what)});
    else if (what.trace.empty())
      orders_.add(this, to, std::move(what));
    else
      traced_.add(this, to, traced_order{std::move(what)});
  }

  void stop(const agent_actor& to, const stop_order& what) override {
    orders_.send_all(this);
    traced_.send_all(this);
    later_.send_all(this);
    tell(this, to, what);
  }

  void log(const std::string& event, const workflow::task& t, const std::string& detail) const override {
    if (deps_.log)
      deps_.log(event, t, detail);
  }

  scheduler_deps deps_;
  scheduler_core core_;
  send_buffer<agent_actor, step_orders> orders_;
  send_buffer<agent_actor, traced_orders> traced_;
  send_buffer<agent_actor, later_orders> later_;
  send_buffer<store_actor, write_requests> writes_;
  deadline_timer timer_;
  std::optional<caf::typed_response_promise<drained>> drain_promise_;
};

} // namespace

scheduler_actor spawn_scheduler(caf::actor_system& sys, scheduler_deps deps) {
  return sys.spawn<scheduler>(std::move(deps));
}

} // namespace steadfast::actors
