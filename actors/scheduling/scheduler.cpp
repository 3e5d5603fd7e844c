// The actor around a desk of tasks: it brings what happens, and carries out what the desk decides.

#include "actors/common/alarm.hpp"
#include "actors/common/deps.hpp"
#include "actors/common/observed.hpp"
#include "actors/common/outbox.hpp"
#include "actors/protocol/type_ids.hpp"
#include "actors/scheduling/task_desk.hpp"

#include <caf/actor_system.hpp>
#include <caf/typed_event_based_actor.hpp>
#include <caf/typed_response_promise.hpp>

#include <optional>
#include <utility>

namespace steadfast::actors {

namespace {

class scheduler : public observed<scheduler_actor>, private task_hands {
public:
  scheduler(caf::actor_config& cfg, scheduler_deps deps)
      : observed{cfg},
        deps_{std::move(deps)},
        desk_{deps_.options, *this} {
    desk_.on_agents({std::move(deps_.agents)});
  }

  const char* name() const override { return "scheduler"; }

  /// Handles that point in a circle keep each other alive, and the system waits for a detached actor to be freed.
  void on_exit() override {
    drain_promise_.reset();
    deps_ = {};
    desk_.close();
  }

  behavior_type make_behavior() override {
    tell(this, deps_.store, subscribe{deps_.options.name});
    return {
      [this](const lease_changed& m) { on_lease(m); },
      [this](const agents_alive& m) { desk_.on_agents(m); },
      one_by_one<attempt_reports>([this](attempt_report& r) { desk_.on_report(std::move(r)); }),
      [this](const writes_done& m) {
        for (const auto& w : m.all)
          desk_.on_written(w, m.clock);
      },
      [this](const store_news& m) { desk_.on_news(m); },
      [this](const tick_timer& m) {
        if (alarm_.rings<scheduler_actor>(this, deps_.clock, m))
          desk_.on_tick();
      },
      [this](describe) { return desk_.view(); },
      [this](const inspect_state& m) { return desk_.state(m.listed_max); },
      [this](const drain& m) { return on_drain(m); },
    };
  }

private:
  /// Handling this message is the progress that keeps the lease: a scheduler that hangs does not come to it.
  void on_lease(const lease_changed& m) {
    if (m.epoch != 0)
      tell(this, sender_of<lease_actor>(this), lease_progress{m.name});
    desk_.on_lease({m.name, m.epoch});
  }

  caf::result<drained> on_drain(const drain& m) {
    drain_promise_ = make_response_promise<drained>();
    auto answer = *drain_promise_;
    desk_.drain(m.limit);
    return answer;
  }

  void after_message() override {
    orders_.send_all(this);
    writes_.send_all(this); // late replies too, before anybody who waits for the drain stops the store
    if (drain_promise_ && desk_.is_drained()) {
      drain_promise_->deliver(desk_.outcome_of_drain());
      drain_promise_.reset();
    }
    if (deps_.store) // it has not ended
      alarm_.set<scheduler_actor>(this, deps_.clock, desk_.next_due());
  }

  // ---- the desk's hands ----

  workflow::clock_reading time() const override { return deps_.clock.reading(this); }

  void write(std::uint64_t ticket, const boxed<store::write>& what, const workflow::clock_reading& judged) override {
    write_request r;
    r.ticket = ticket;
    r.what = what;
    r.judged = judged;
    writes_.add(this, deps_.store, std::move(r));
  }

  void read(std::uint64_t task) override {
    ask(this, deps_.reader, deps_.options.reader_limit, find_task{task})
      .then([this, task](const task_view& m) { desk_.on_read(task, m); },
            [this, task](const caf::error&) { desk_.on_unread(task); });
  }

  void order(const agent_actor& to, step_order what) override { orders_.add(this, to, std::move(what)); }

  void stop(const agent_actor& to, const stop_order& what) override {
    orders_.send_all(this);
    tell(this, to, what);
  }

  void log(const std::string& event, const workflow::task& t, const std::string& detail) const override {
    if (deps_.log)
      deps_.log(event, t, detail);
  }

  scheduler_deps deps_;
  task_desk desk_;
  outbox<agent_actor, step_orders> orders_;
  outbox<store_actor, write_requests> writes_;
  alarm alarm_;
  std::optional<caf::typed_response_promise<drained>> drain_promise_;
};

} // namespace

scheduler_actor spawn_scheduler(caf::actor_system& sys, scheduler_deps deps) {
  return sys.spawn<scheduler>(std::move(deps));
}

} // namespace steadfast::actors
