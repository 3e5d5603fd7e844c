#pragma once

#include "steadfast/schedule.hpp"

#include <nlohmann/json_fwd.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>

namespace steadfast {

/// What the node answered instead of a result, or why it could not be asked.
class client_error : public std::runtime_error {
public:
  enum class kind : std::uint8_t {
    unreachable, ///< no node answers at the socket
    refused,     ///< the node says no: the message names the field or the reason
    busy,        ///< the store is full or too much is waiting: try again after `retry_after`
    timed_out,   ///< no answer in time: the outcome is unknown, submitting again with the same id is safe
    not_found,   ///< there is no such task, workflow or alert
  };
  client_error(kind why, const std::string& what, std::chrono::milliseconds retry_after = {})
      : std::runtime_error{what},
        why_{why},
        retry_after_{retry_after} {}
  kind why() const { return why_; }
  std::chrono::milliseconds retry_after() const { return retry_after_; }

private:
  kind why_;
  std::chrono::milliseconds retry_after_;
};

/// What a submission does whose id there is already.
enum class on_conflict : std::uint8_t {
  same,    ///< it is that task if it says the same; else it is refused
  refuse,  ///< refused
  replace, ///< payload, priority and moment of a task that has not begun give way to its own
};

struct submit_options {
  std::string id;                       ///< empty: one is made, ordered by time
  std::uint32_t version = 0;            ///< 0: the newest
  std::optional<std::uint8_t> priority; ///< 0 first, 9 last
  std::string reply_to;                 ///< observer that is told of progress
  std::string traceparent{};            ///< W3C Trace Context of the caller; empty: the task begins a trace
  steadfast::on_conflict conflict = steadfast::on_conflict::same;
  /// With replace: the task begins this long after the last submission, and at most ten times as long after the first.
  std::chrono::milliseconds debounce{0};
};

struct submitted {
  std::string id;
  bool created = false;  ///< false: the task was already there
  std::string state;     ///< process_state
  bool replaced = false; ///< it was there, and this submission replaced it
};

struct step_failure {
  std::string why;
  bool for_now = false;                     ///< another attempt may do better
  bool maybe_done = false;                  ///< the step may have acted nevertheless
  std::chrono::milliseconds retry_after{0}; ///< with for_now: no attempt before then
};

/// Talks to a node of this host over its control channel (JSON-RPC 2.0 on a Unix-domain socket). One call at a time per
/// object; not shared between threads. Every call throws client_error.
class client {
public:
  /// How numbers arrive. `doubles`: as the JSON library has them, so `1.10` is 1.1 and a number too large for a double
  /// is a string. `exact`, for the commands of Steadfast only: such numbers come as values that only these can read.
  enum class numbers : std::uint8_t { doubles, exact };

  explicit client(const std::string& socket_path, numbers n = numbers::doubles);
  ~client();
  client(client&&) noexcept;
  client& operator=(client&&) noexcept;

  /// Durable when it returns. `payload` is a JSON text.
  submitted submit(const std::string& workflow, const std::string& payload, const submit_options& options = {});

  /// Blocks until the task has ended or the limit has passed; returns its process_state.
  std::string wait(const std::string& id, std::chrono::milliseconds limit);

  /// The whole task, in the shape of `task show --json`.
  nlohmann::json show(const std::string& id);

  /// The result of a processed task, as its workflow defines it; null before, and if the workflow defines none.
  nlohmann::json result(const std::string& id);

  // For a step whose agent answered that it ends later (agent.hpp). `refused`: the token was used up, or its attempt is
  // over.

  /// `result` is a JSON text. The token is used up.
  void complete_step(const std::string& token, const std::string& result = "null");
  void fail_step(const std::string& token, const step_failure& how);
  /// The step goes on: for `length` from now, up to its limit; 0: for as long as its workflow says. `progress` is for
  /// people; empty: as before.
  void extend_step(const std::string& token, const std::string& progress = {}, std::chrono::milliseconds length = {});

  /// An event for the tasks that wait for it now or later. `data` is a JSON text. Returns its number once it is
  /// durable. `id` is the sender's: sent again under the same id while the event is kept, it changes nothing; empty:
  /// each call is another event.
  std::uint64_t send_event(const std::string& name, const std::string& key, const std::string& data = "null",
                           const std::string& who = "a program", const std::string& id = {});

  /// Stores the schedule, in place of the one of its name. Durable when it returns. False: it was the same before.
  bool put_schedule(const schedule& s, const std::string& who = "a program", const std::string& why = {});

  /// Any method of the control channel (docs/control-channel.md).
  nlohmann::json call(const std::string& method, const nlohmann::json& params);

private:
  class implementation;
  std::unique_ptr<implementation> impl_;
};

} // namespace steadfast
