#pragma once

#include "actors/agents/agent_function.hpp"

#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace steadfast::actors {

/// Names one call of an agent; never used twice.
using call_ticket = std::uint64_t;

/// A call that is over, with its result.
struct ended_call {
  call_ticket ticket = 0;
  answer what;
};

/// Reports that calls are over. May be called from any thread, at any time, even after the caller is gone.
class call_over {
public:
  /// `say` takes either a vector of the calls that ended together, or the ticket and answer of one call at a time.
  template <class Say>
  requires std::invocable<const Say&, std::vector<ended_call>> call_over(Say say)
      : say_{std::move(say)} {} // NOLINT(google-explicit-constructor)
  template <class Say>
  requires std::invocable<const Say&, call_ticket, answer> call_over(Say say) // NOLINT(google-explicit-constructor)
      : say_{[one = std::move(say)](std::vector<ended_call> all) {
          for (auto& c : all)
            one(c.ticket, std::move(c.what));
        }} {}

  void operator()(call_ticket ticket, answer what) const {
    std::vector<ended_call> one(1);
    one.front() = {ticket, std::move(what)};
    say_(std::move(one));
  }
  void operator()(std::vector<ended_call> all) const { say_(std::move(all)); }

private:
  std::function<void(std::vector<ended_call>)> say_;
};

/// Makes the calls of one agent: the boundary between the agent and what it wraps. Its functions return at once, and
/// only the agent calls them. The end of every started call is reported exactly once, by start() itself or later,
/// unless the caller is destroyed first.
class caller {
public:
  caller() = default;
  caller(const caller&) = delete;
  caller& operator=(const caller&) = delete;
  /// Ends what can be ended, and does not wait for the rest.
  virtual ~caller() = default;

  virtual const char* kind() const = 0; ///< "function", "http", or "exec" of a program
  /// What it calls, without secrets; empty: its kind says everything.
  virtual std::string service() const { return {}; }
  /// Returns the result if the call is over at once.
  virtual std::optional<answer> start(call_ticket ticket, call what) = 0;
  /// The attempt is no longer wanted, but how its call ends still counts: the call may end early only if its outcome is
  /// known. It does not hang up on a working service, because then nobody would know whether the service acts.
  virtual void ask_to_end(call_ticket) {}
  /// The call has taken longer than it may. It is over once this process does nothing more for it: then it ends as
  /// `stopped`, or with its own result if that came first.
  virtual void stop(call_ticket ticket) = 0;
  /// Nobody waits for the call any more. It is over when its place can be given to another call.
  virtual void abandon(call_ticket ticket) { stop(ticket); }
};

using make_caller = std::function<std::unique_ptr<caller>(call_over)>;

} // namespace steadfast::actors
