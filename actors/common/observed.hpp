#pragma once

#include "actors/protocol/messages.hpp"

#include <caf/actor_clock.hpp>
#include <caf/invoke_message_result.hpp>
#include <caf/mailbox_element.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <typeinfo>
#include <utility>

namespace caf {
class actor_system;
}

namespace steadfast::actors {

/// What passes through an actor's mailbox: counted as it comes and is handled, read by any thread, even if it hangs.
class mailbox_meter {
public:
  virtual ~mailbox_meter() = default;
  using moment_of_clock = caf::actor_clock::time_point;

  mailbox_view look(caf::actor_system& sys) const;
  /// How long it has been handling the current message; 0: it waits for one.
  std::chrono::nanoseconds busy_for(moment_of_clock now) const;
  std::chrono::nanoseconds last_took() const { return std::chrono::nanoseconds{last_took_}; }

protected:
  void came() { came_.fetch_add(1, std::memory_order_relaxed); }
  void begins(const caf::mailbox_element& m, moment_of_clock now);
  void ends(bool is_handled, moment_of_clock now);

private:
  using nanoseconds = std::int64_t; ///< of CAF's clock, which is steady

  std::atomic<std::uint64_t> came_{0};
  std::atomic<std::uint64_t> handled_{0};
  std::atomic<nanoseconds> busy_since_{0}; ///< 0: it waits for a message
  std::atomic<nanoseconds> last_took_{0};
  std::atomic<std::uint16_t> last_number_{0};             ///< a type with a number in CAF, by that number
  std::atomic<const std::type_info*> last_info_{nullptr}; ///< any other type
  std::atomic<nanoseconds> window_began_{0};
  std::atomic<std::uint64_t> handled_before_{0}; ///< when the window began
  std::atomic<double> last_rate_{0};             ///< during the window before
  bool is_worth_telling_ = false;                ///< the message being handled; false for an inspection
};

/// The base of an actor whose mailbox can be looked at. Its on_exit() must let go of the handles that it has: handles
/// in a circle keep each other alive, and the actor system waits until a detached actor is freed.
template <class Handle>
class observed : public Handle::base, public mailbox_meter {
public:
  using actor_base = typename Handle::base;
  using actor_base::actor_base;
  using actor_base::consume;
  using actor_base::enqueue;

  void enqueue(caf::mailbox_element_ptr what, caf::execution_unit* where) override {
    came();
    actor_base::enqueue(std::move(what), where);
  }

  caf::invoke_message_result consume(caf::mailbox_element& m) override {
    begins(m, this->clock().now());
    const auto result = actor_base::consume(m);
    after_message();
    ends(result != caf::invoke_message_result::skipped, this->clock().now());
    return result;
  }

  /// A message that is not in its protocol, or an error that arrives as a message, is dropped: nobody can end the actor
  /// with it, and its content must not get into the log.
  void initialize() override {
    this->set_default_handler(caf::drop);
    this->set_error_handler([](caf::error&) {});
    actor_base::initialize();
  }

protected:
  /// Called after each message: what was collected while it was handled can leave now.
  virtual void after_message() {}
};

} // namespace steadfast::actors
