// Campaigns for one lease. What to do when is decided in workflow/lease_term; here it is only carried out.

#include "actors/supervising/lease.hpp"

#include "actors/common/deadline_timer.hpp"
#include "actors/common/observed.hpp"
#include "actors/common/one_write.hpp"
#include "actors/common/state_tree.hpp"
#include "actors/protocol/type_ids.hpp"

#include <caf/actor_system.hpp>
#include <caf/typed_event_based_actor.hpp>
#include <caf/typed_response_promise.hpp>

#include <optional>
#include <utility>

namespace steadfast::actors {

namespace {

class lease_holder : public observed<lease_actor> {
public:
  lease_holder(caf::actor_config& cfg, lease_deps deps) : observed{cfg}, deps_{std::move(deps)} {
    deps_.clock = deps_.clock.own(); // its time must not follow another node's clock
  }

  const char* name() const override { return "lease_actor"; }

  void on_exit() override {
    promise_.reset();
    deps_ = {};
  }

  behavior_type make_behavior() override {
    take_step();
    return {
      one_by_one<const writes_done>([this](const write_done& w) { on_written(w); }),
      [](const store_news&) {},
      [this](const tick_timer& m) { on_tick(m); },
      [this](const lease_progress&) { on_progress(); },
      [this](const drain&) { return on_drain(); },
      [this](const inspect_state&) { return state(); },
    };
  }

private:
  workflow::instant now() const { return deps_.clock.now(this); }

  void take_step() {
    if (released_)
      return;
    const auto& terms = deps_.options.terms;
    const auto at = now();
    workflow::on_silence(campaign_, terms, at);
    switch (workflow::next_step(campaign_, terms, at)) {
      case workflow::lease_step::acquire: acquire(); break;
      case workflow::lease_step::renew: renew(); break;
      case workflow::lease_step::stop: tell_guarded(); break;
      case workflow::lease_step::none: break;
    }
    timer_.set<lease_actor>(this, deps_.clock, workflow::next_look(campaign_, terms));
  }

  void on_tick(const tick_timer& m) {
    if (timer_.fires<lease_actor>(this, deps_.clock, m))
      take_step();
  }

  void acquire() {
    const auto& o = deps_.options;
    tell_one_write(this, deps_.store, ++ticket_,
                   store::acquire_lease{o.name, o.holder, deps_.note_now ? deps_.note_now() : o.note, o.terms.ttl, {}});
  }

  void renew() {
    const auto& o = deps_.options;
    const auto note = deps_.note_now ? deps_.note_now() : std::string{};
    tell_one_write(this, deps_.store, ++ticket_,
                   store::renew_lease{o.name, o.holder, campaign_.epoch, o.terms.ttl, {}, note});
  }

  void on_written(const write_done& m) {
    if (m.ticket != ticket_)
      return; // the answer to a request that was given up
    const bool was_asked = campaign_.asked_at != workflow::unset;
    if (was_asked && m.outcome->result == store::write_status::applied)
      granted_ = m.outcome->as<store::lease_result>().epoch;
    if (released_)
      return go_on_releasing();
    if (!was_asked)
      return;
    const auto& terms = deps_.options.terms;
    if (m.outcome->result == store::write_status::applied) {
      workflow::on_granted(campaign_, terms, m.outcome->as<store::lease_result>().epoch, now());
      tell_guarded(); // of a renewal too: its answer is the progress that the next one needs
    } else if (is_unanswered(*m.outcome)) {
      workflow::on_unanswered(campaign_, terms, now());
    } else if (workflow::on_refused(campaign_, terms, now())) {
      tell_guarded();
    }
    take_step();
  }

  /// The store could not be reached, or its answer was lost.
  static bool is_unanswered(const store::outcome& o) {
    return o.result == store::write_status::full || o.result == store::write_status::unknown_outcome;
  }

  void on_progress() {
    campaign_.progressed = true;
    take_step();
  }

  void tell_guarded() { tell(this, deps_.guarded, lease_changed{deps_.options.name, campaign_.epoch}); }

  /// The lease is given back even if this node no longer holds it by its own clock: in the store it may last longer. An
  /// acquisition under way is awaited, and given back then.
  caf::result<drained> on_drain() {
    released_ = true;
    if (std::exchange(campaign_.epoch, 0) != 0)
      tell_guarded();
    const bool is_asking = campaign_.asked_at != workflow::unset;
    if (promise_ || (!is_asking && granted_ == 0))
      return drained{};
    promise_ = make_response_promise<drained>();
    auto answer = *promise_;
    if (!is_asking)
      go_on_releasing();
    return answer;
  }

  void go_on_releasing() {
    campaign_.asked_at = workflow::unset;
    if (const auto epoch = std::exchange(granted_, 0); epoch != 0)
      return tell_one_write(this, deps_.store, ++ticket_,
                            store::release_lease{deps_.options.name, deps_.options.holder, epoch});
    if (promise_)
      promise_->deliver(drained{});
    promise_.reset();
  }

  actor_state state() const {
    const auto& o = deps_.options;
    const bool held = campaign_.epoch != 0;
    const auto left = held ? campaign_.hold_until - now() : workflow::span{0};
    return state_of(released_ ? "given back"
                    : held    ? "held under epoch " + std::to_string(campaign_.epoch)
                              : "not held",
                    {{"name", o.name},
                     {"holder", o.holder},
                     {"held", held},
                     {"epoch", campaign_.epoch},
                     {"time_left_ms", left.count()},
                     {"next_request_in_ms", (campaign_.next_ask - now()).count()},
                     {"is_asking", campaign_.asked_at != workflow::unset},
                     {"guarded_work_progressed", campaign_.progressed},
                     {"ttl_ms", o.terms.ttl.count()},
                     {"renew_every_ms", o.terms.renew_every.count()},
                     {"margin_ms", o.terms.margin.count()}});
  }

  lease_deps deps_;
  workflow::lease_campaign campaign_;
  deadline_timer timer_;
  std::uint64_t ticket_ = 0;
  std::uint64_t granted_ = 0; ///< the last epoch that the store granted; 0: none, or it was given back
  bool released_ = false;
  std::optional<caf::typed_response_promise<drained>> promise_;
};

} // namespace

lease_actor spawn_lease_actor(caf::actor_system& sys, lease_deps deps) {
  return sys.spawn<lease_holder>(std::move(deps));
}

} // namespace steadfast::actors
