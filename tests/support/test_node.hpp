#pragma once

#include "actors/clock.hpp"
#include "actors/speak.hpp"
#include "actors/type_ids.hpp"
#include "workflow/time.hpp"

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/detail/test_actor_clock.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/scheduler/test_coordinator.hpp>

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

namespace steadfast::tests {

/// Midday of the first day of 2026, UTC: where every test_node's wall clock starts.
inline constexpr workflow::instant midday{std::chrono::milliseconds{1'767'268'800'000}};

/// An actor system that does nothing by itself: no thread, and a clock that only `advance` moves. Actors are spawned on
/// `system()` as in production, but never detached. Nothing may send to it from another thread: see live_node.hpp.
class test_node {
public:
  test_node() : config_{}, system_{config_}, clock_{midday, time().now()} { system_.await_actors_before_shutdown(false); }

  ~test_node() {
    for (const auto& a : kept_)
      caf::anon_send_exit(a, caf::exit_reason::kill);
    kept_.clear();
    for (int i = 0; i < steps_max && (scheduler().try_run_once() || time().has_pending_timeout()); ++i)
      time().cancel_all();
  }

  test_node(const test_node&) = delete;
  test_node& operator=(const test_node&) = delete;

  caf::actor_system& system() { return system_; }
  const actors::node_clock& clock() const { return clock_; }
  workflow::instant now() { return midday + std::chrono::duration_cast<workflow::span>(time().now() - clock_.steady_at_start); }

  /// Ends the actor with the node. Actors that refer to each other must be kept, or they are never freed.
  template <class Handle>
  Handle keep(Handle h) {
    kept_.push_back(caf::actor_cast<caf::strong_actor_ptr>(h));
    return h;
  }

  /// Handles messages until none is left; time stands still.
  void run() {
    for (int i = 0; i < steps_max; ++i) {
      if (!scheduler().try_run_once())
        return;
    }
    throw std::runtime_error{"the actors keep each other busy without an end"};
  }

  /// Lets time pass. Timers go off in order, each at its own time, and what follows from one is done before the next.
  void advance(workflow::span by) {
    const auto until = time().now() + by;
    for (run(); !timers().empty() && timers().begin()->first <= until; run())
      time().trigger_timeout();
    time().current_time = until;
  }

  std::size_t pending_timers() { return timers().size(); }

  template <class From, class To, class Message>
  void tell(const From& from, const To& to, Message m) {
    to->enqueue(caf::actor_cast<caf::strong_actor_ptr>(from), caf::make_message_id(), caf::make_message(std::move(m)), nullptr);
  }

  /// The answer, or nothing when there is none without time passing.
  template <class Reply, class To, class Message>
  std::optional<Reply> ask(const To& to, Message m) {
    auto answer = std::make_shared<std::optional<Reply>>();
    system_.spawn([answer, to, m](caf::event_based_actor* self) {
      actors::ask(self, to, std::chrono::seconds{60}, m)
        .then([answer](const Reply& r) { *answer = r; }, [](const caf::error&) {});
    });
    run();
    return *answer;
  }

private:
  static constexpr int steps_max = 10'000'000;

  struct node_config : caf::actor_system_config {
    node_config() {
      add_message_types<caf::id_block::steadfast>();
      set("scheduler.policy", caf::atom("testing"));
    }
  };
  /// Reaches CAF's protected table of timers.
  struct timer_table : caf::detail::test_actor_clock {
    using map = schedule_map;
    static map& of(caf::detail::test_actor_clock& c) { return c.*(&timer_table::schedule_); }
  };

  caf::scheduler::test_coordinator& scheduler() {
    return dynamic_cast<caf::scheduler::test_coordinator&>(system_.scheduler());
  }
  caf::detail::test_actor_clock& time() { return scheduler().clock(); }
  timer_table::map& timers() { return timer_table::of(time()); }

  node_config config_;
  caf::actor_system system_;
  actors::node_clock clock_;
  std::vector<caf::strong_actor_ptr> kept_;
};

} // namespace steadfast::tests
