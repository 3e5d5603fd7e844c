#pragma once

#include "actors/protocol/report_kind.hpp"
#include "workflow/task/task.hpp"
#include "workflow/time/time.hpp"

#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <variant>

// Agents that are C++ functions, as their author sees them: without CAF.

namespace steadfast::actors {

/// What an agent is asked to do. After brief faults an attempt makes several calls, which differ only in `try_number`.
struct call {
  std::string task_id;
  std::string workflow;
  std::string step;
  workflow::attempt_action action = workflow::attempt_action::perform;
  std::uint32_t attempt = 0;
  std::uint64_t epoch = 0;
  std::string key;
  std::string reverses;
  std::string input;
  workflow::instant complete_by;
  std::uint32_t try_number = 1; ///< inside the attempt
  workflow::instant began_at;   ///< the node's time when this call began
  std::string token{};          ///< with it the step can be ended if the answer is ends_later(); empty: it may not be
  std::string trace{};          ///< W3C `traceparent` of the attempt, for the service; empty: tasks are not traced
  /// Asks for an early end, but not for an abrupt one: until complete_by the answer still counts, so do not hang up on
  /// a service that is working. After complete_by it does not count.
  std::stop_token stop;
};

/// What the function answers.
struct answer {
  report_kind kind = report_kind::succeeded;
  std::string result;     ///< with succeeded: a JSON text, or bytes
  std::string why;        ///< otherwise
  bool maybe_done = true; ///< with failed_*: the remote side may have acted; false when it refused or was not reached
  workflow::span retry_after{0}; ///< with failed_transient: the remote side asked for at least this wait
  /// With maybe_done: the remote side itself has not answered, so it may still be working (a lost connection, a
  /// gateway's 504). Probe and undo then wait until complete_by and the workflow's grace have passed. False if it has
  /// ended.
  bool unsettled = true;
};
answer succeeded(std::string result = "null");
/// The remote side has said no, or has ended: it is no longer working.
answer failed_for_good(std::string why, bool maybe_done = false);
/// With `maybe_done` it counts as unsettled too; clear `unsettled` if the remote side itself said that it failed.
answer failed_for_now(std::string why, bool maybe_done = true);
answer did_not_happen(); ///< for probes
/// The work has begun, and whoever has the call's token says how it ends. REQUIRES: the call has a token.
answer ends_later();

/// Called once, from any thread; a second call has no effect. If it is destroyed without a call, that is a transient
/// failure.
using answer_to = std::function<void(answer)>;

// How a function agent is run. An exception counts as a transient failure after which the remote side may have acted.

/// Runs on the agent's own turn: must not block.
struct quick_function {
  std::function<answer(const call&)> run;
};

/// Runs on a thread of the agent's own pool, which has as many threads as the agent's concurrency. It keeps its thread
/// until it returns, so it should watch `stop` or have a limit of its own.
struct blocking_function {
  std::function<answer(const call&)> run;
};

/// Returns at once and answers later. The reference is valid only until it returns: copy what is needed afterwards.
struct async_function {
  std::function<void(const call&, answer_to)> run;
};

using agent_function = std::variant<quick_function, blocking_function, async_function>;

} // namespace steadfast::actors
