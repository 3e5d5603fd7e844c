#pragma once

#include "actors/common/clock.hpp"
#include "actors/protocol/speak.hpp"
#include "actors/protocol/type_ids.hpp"
#include "workflow/time/time.hpp"

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/detail/test_actor_clock.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/scheduled_actor.hpp>
#include <caf/scheduler/test_coordinator.hpp>

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

namespace steadfast::tests {

/// Midday of the first day of 2026, UTC: where every test_node's wall clock starts.
inline constexpr workflow::instant midday{std::chrono::milliseconds{1'767'268'800'000}};

/// An actor system that does nothing by itself: no thread, and a clock that only `advance` moves. Actors are spawned on
/// `system()` as in production, but never detached. Nothing may send to it from another thread.
class test_node {
public:
  /// It starts then, with a clock that was set earlier, if need be, and goes on.
  explicit test_node(workflow::instant starts_at = midday, std::optional<workflow::instant> clock_set_at = {})
      : config_{},
        system_{config_},
        clock_{clock_set_at.value_or(starts_at), time().now() - (starts_at - clock_set_at.value_or(starts_at))} {
    system_.await_actors_before_shutdown(false);
  }

  /// The actors that are kept end before they handle what is in their mailboxes.
  ~test_node() {
    for (const auto& a : kept_)
      actors::exit_now(a, caf::exit_reason::kill);
    kept_.clear();
    for (int i = 0; i < steps_max && (scheduler().try_run_once() || time().has_pending_timeout()); ++i)
      time().cancel_all();
  }

  test_node(const test_node&) = delete;
  test_node& operator=(const test_node&) = delete;

  caf::actor_system& system() { return system_; }
  const actors::node_clock& clock() const { return clock_; }
  workflow::instant now() {
    return clock_.set_at + std::chrono::duration_cast<workflow::span>(time().now() - clock_.steady_at_set);
  }

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

  /// Handles one message of the actor whose turn it is. False: there is none.
  bool step() { return scheduler().try_run_once(); }

  /// Actors that have a message to handle.
  std::size_t ready() { return scheduler().jobs.size(); }

  /// Gives the turn to one of the ready actors.
  void choose(std::size_t which) {
    auto& jobs = scheduler().jobs;
    std::swap(jobs.at(which), jobs.front());
  }

  /// The message that step() will handle, when it is of this type and the actor has this name; empty: any actor.
  template <class Message>
  const Message* next_for(std::string_view actor) {
    auto& jobs = scheduler().jobs;
    auto* next = jobs.empty() ? nullptr : dynamic_cast<caf::scheduled_actor*>(jobs.front());
    auto* element = next && (actor.empty() || next->name() == actor) ? next->mailbox().peek() : nullptr;
    const bool is_it = element && element->content().template match_elements<Message>();
    return is_it ? &element->content().template get_as<Message>(0) : nullptr;
  }

  /// Moves time past what should have gone off by then, as when a process was not given the processor for a while.
  void move_clock(workflow::span by) { time().current_time += by; }

  /// Moves time to the next timer and lets it go off; what follows is not handled yet. False: there is none.
  bool trigger_timer() { return time().trigger_timeout(); }

  /// Lets the first timer go off whose time has come. False: there is none.
  bool trigger_due_timer() {
    return !timers().empty() && timers().begin()->first <= time().now() && time().trigger_timeout();
  }

  /// Lets time pass. Timers go off in order, each at its own time, and what follows from one is done before the next.
  void advance(workflow::span by) {
    const auto until = time().now() + by;
    for (run(); !timers().empty() && timers().begin()->first <= until; run())
      time().trigger_timeout();
    time().current_time = until;
  }

  /// Lets time pass, as long as `until` does not hold. Returns whether it does.
  template <class Condition>
  bool advance_until(Condition holds, workflow::span at_most) {
    const auto end = time().now() + at_most;
    for (run(); !holds(); run()) {
      if (timers().empty() || timers().begin()->first > end) {
        time().current_time = end;
        return holds();
      }
      time().trigger_timeout();
    }
    return true;
  }

  std::size_t pending_timers() { return timers().size(); }

  template <class From, class To, class Message>
  void tell(const From& from, const To& to, Message m) {
    to->enqueue(caf::actor_cast<caf::strong_actor_ptr>(from), caf::make_message_id(), caf::make_message(std::move(m)),
                nullptr);
  }

  /// Asks; the answer will be in what is returned once it has come.
  template <class Reply, class To, class Message>
  std::shared_ptr<std::optional<Reply>> begin_to_ask(const To& to, Message m) {
    auto answer = std::make_shared<std::optional<Reply>>();
    system_.spawn([answer, to, m](caf::event_based_actor* self) {
      actors::ask(self, to, std::chrono::seconds{60}, m)
        .then([answer](const Reply& r) { *answer = r; }, [](const caf::error&) {});
    });
    return answer;
  }

  /// The answer, or nothing when there is none without time passing.
  template <class Reply, class To, class Message>
  std::optional<Reply> ask(const To& to, Message m) {
    auto answer = begin_to_ask<Reply>(to, std::move(m));
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
