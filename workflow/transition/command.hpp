#pragma once

#include "workflow/task/task.hpp"

#include <cstddef>
#include <string>
#include <variant>
#include <vector>

namespace steadfast::workflow {

// clang-format off
struct dispatch { std::size_t step = 0; std::uint32_t attempt = 0; };     ///< send the order for the open attempt
struct stop_attempt { std::size_t step = 0; std::uint32_t attempt = 0; }; ///< tell the agent that it is not wanted
struct expire_at { std::size_t step = 0; std::uint32_t attempt = 0; instant at; }; ///< then raise attempt_expired
struct wake_at { std::size_t step = 0; instant at; };                     ///< then raise time_passed
struct let_go {};                                                         ///< the lock is gone: forget the task
// clang-format on

/// Everything that others may be asked to do. Each command follows from the stored task, so it can be given again.
using command = std::variant<dispatch, stop_attempt, expire_at, wake_at, let_go>;

/// Stored.
enum class notice_kind : std::uint8_t {
  accepted = 1,
  step_started = 2,
  step_completed = 3,
  processed = 4,
  undoing = 5,
  undone = 6,
  error = 7,
  suspended = 8,
  resumed = 9,
  outward = 10, ///< for a webhook, not an observer: `step` is the notification's id, `text` its body
};
std::string_view to_string(notice_kind k);

/// Progress for the task's observer; committed with the state that it reports, kept until acknowledged.
struct notice {
  std::uint32_t sequence = 0; ///< 1 for the first of the task
  notice_kind kind = notice_kind::accepted;
  std::string step; ///< with step_started and step_completed
  std::string text; ///< the cause, where there is one
  instant at;

  friend bool operator==(const notice&, const notice&) = default;
};

/// A durable note that a person is needed; committed with the state that it reports.
struct alert {
  std::string kind; ///< "error", "undo_failed", "waiting", "set_aside", "stuck"; "act": what a person did
  std::string text; ///< what happened, what is still in place, what to do
  std::string step;
  instant at;

  friend bool operator==(const alert&, const alert&) = default;
};

/// What an agent said that no longer counts: kept as evidence.
struct late_reply {
  std::string step;
  std::uint32_t attempt = 0;
  std::uint64_t epoch = 0;
  std::string outcome;
  std::string why; ///< why it did not count
  instant at;

  friend bool operator==(const late_reply&, const late_reply&) = default;
};

} // namespace steadfast::workflow
