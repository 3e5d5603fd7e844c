#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <variant>

// Agents that are C++ functions of your program: what they are asked, what they answer, and how they run.

namespace steadfast {

enum class agent_action : std::uint8_t {
  perform = 1,    ///< do what the step says
  probe = 2,      ///< say whether it happened: succeeded(result) or did_not_happen()
  compensate = 3, ///< undo it; harmless when it never happened
};

/// What an agent is asked to do. After brief faults an attempt makes several calls, which differ only in `try_number`.
struct agent_call {
  using moment = std::chrono::time_point<std::chrono::system_clock, std::chrono::milliseconds>;

  std::string task_id;
  std::string workflow;
  std::string step;
  agent_action action = agent_action::perform;
  std::uint32_t attempt = 0;
  std::uint64_t epoch = 0; ///< of the task's lock; a service that remembers the highest one can refuse older orders
  std::string key;         ///< idempotency key, the same in all attempts at the step: pass it on to the service
  std::string reverses;    ///< with compensate and probe: the key of what is undone or asked about
  std::string input;       ///< a JSON text
  moment complete_by;      ///< a later answer does not count
  std::uint32_t try_number = 1; ///< inside the attempt
  moment began_at;              ///< the node's time when this call began
  std::string traceparent{};    ///< W3C Trace Context, to pass on to the service; empty: tasks are not traced
  /// Ends the step after the answer later(), from anywhere: pass it on to whoever does the work. Empty: the workflow
  /// does not say that this step may end later. Keep it secret.
  std::string token{};
  /// Asks for an early end, but not for an abrupt one: until complete_by the answer still counts, so do not hang up on
  /// a service that is working. After complete_by it does not count.
  std::stop_token stop;
};

enum class answer_kind : std::uint8_t { succeeded, failed_for_now, failed_for_good, did_not_happen, later };

/// The answer of an agent: made by one of the functions below.
struct agent_answer {
  answer_kind kind = answer_kind::succeeded;
  std::string result;     ///< with succeeded: a JSON text
  std::string why;        ///< with failed_*: for people
  bool maybe_done = true; ///< with failed_*: the service may have acted; false: it refused or was not reached
  std::chrono::milliseconds retry_after{0}; ///< with failed_for_now: wait at least this long
  /// With maybe_done: the service itself has not answered, so it may still be working. Probe and undo then wait until
  /// complete_by and the workflow's grace have passed. False if it has ended.
  bool unsettled = false;
};
agent_answer succeeded(std::string result = "null");
agent_answer failed_for_good(std::string why, bool maybe_done = false); ///< another try is useless
/// Another try may succeed. With `maybe_done` it counts as unsettled too; clear `unsettled` if the service itself said
/// that it failed.
agent_answer failed_for_now(std::string why, bool maybe_done = true);
agent_answer did_not_happen(); ///< for probes
/// The step was begun, and whoever has the call's token says how it ends: a client of a node, HTTP, the command line.
agent_answer later();

/// Call it from any thread; the first call counts. If it is destroyed without a call, that is a transient failure.
using answer_to = std::function<void(agent_answer)>;

// How a function is run. An exception that leaves it is a transient failure after which the service may have acted.

/// For work of microseconds: runs on a thread that the node's agents share, one call of this agent at a time. It must
/// not wait for anything. If it does, it delays its agent, and node::stop() until it returns; the log and
/// `steadfast actors` name it (docs/cpp.md).
struct quick_function {
  std::function<agent_answer(const agent_call&)> run;
};

/// Runs on the agent's own threads, as many as its concurrency, and is called on several at a time. It keeps its thread
/// until it returns, so it should watch `stop` or have a limit of its own. It may still run after the node has stopped.
struct blocking_function {
  std::function<agent_answer(const agent_call&)> run;
};

/// Returns at once, like a quick function, and answers later. The reference is valid only until it returns.
struct async_function {
  std::function<void(const agent_call&, answer_to)> run;
};

using agent_function = std::variant<quick_function, blocking_function, async_function>;

/// The same options as those of an agent in a configuration file; config/steadfast.toml explains them.
struct agent_options {
  std::uint32_t tries = 3;                  ///< within one attempt, after transient failures
  std::chrono::milliseconds first_wait{50}; ///< between two tries; doubled each time
  std::chrono::milliseconds longest_wait{2000};
  std::uint32_t concurrency = 64;          ///< calls at a time
  std::uint32_t queue = 1024;              ///< calls that wait for their turn; further ones wait in the store
  std::uint32_t rate_per_second = 0;       ///< calls begun per second; 0: no limit
  std::uint32_t burst = 10;                ///< calls that may begin at once when the rate was not used up
  std::chrono::milliseconds call_limit{0}; ///< a longer call is a transient failure; 0: only complete-by ends it
  std::uint32_t circuit_failures = 5;      ///< in a row, after which the service is not called for a while; 0: never
  std::chrono::milliseconds circuit_open_for{5000};
};

} // namespace steadfast
