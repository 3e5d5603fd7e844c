#pragma once

#include "workflow/children/child.hpp"

#include <cstddef>
#include <string>
#include <variant>
#include <vector>

namespace steadfast::workflow {

/// Identifies one attempt. What an agent says counts only if all three are current.
struct attempt_ref {
  std::size_t step = 0;
  std::uint32_t attempt = 0;
  std::uint64_t epoch = 0;

  friend bool operator==(const attempt_ref&, const attempt_ref&) = default;
};

/// The longest wait that an agent or a service can ask for.
inline constexpr span retry_after_max = std::chrono::hours{24};

// clang-format off

// Work
struct taken { std::string scheduler; };        ///< a scheduler takes it: lock, next epoch, start what is ready
struct time_passed {};                          ///< a wait may be over: start what is ready
struct attempt_succeeded {
  attempt_ref ref;
  blob result;
  std::vector<fact> facts;
  bool unsettled = false; ///< an earlier call of the attempt ended without the service's own answer, and may still act
};
struct attempt_failed {
  attempt_ref ref;
  bool permanent = false; ///< another attempt would be useless
  bool maybe_done = true; ///< the remote side may have acted nevertheless; false when it refused
  span retry_after{0};    ///< the service asked for at least this wait
  std::string why;
  bool unsettled = false; ///< the service itself has not answered: it may act until complete-by and grace are over
};
struct attempt_declined { attempt_ref ref; span retry_after{0}; std::string why; }; ///< never sent; counts as no try
struct attempt_stopped { attempt_ref ref; bool maybe_done = true; bool unsettled = false; }; ///< its agent stopped it
struct probe_denied { attempt_ref ref; };       ///< the remote side says: it did not happen
/// The step was begun, and whoever has the token with that digest says how it ends. Only for an attempt to perform.
struct attempt_taken_on { attempt_ref ref; std::string token; bool unsettled = false; }; ///< as of attempt_succeeded
struct attempt_expired { attempt_ref ref; };    ///< its complete-by passed; `epoch` is not compared

/// Identifies the use of a token.
struct token_use { std::size_t step = 0; std::uint32_t attempt = 0; std::string digest; };
struct later_completed { token_use by; blob result; std::vector<fact> facts; };
struct later_failed {
  token_use by;
  bool permanent = false;
  bool maybe_done = false;
  span retry_after{0};
  std::string why;
};
/// The step goes on: for `length` from now, or as long as its definition says, but never beyond its limit.
struct later_extended { token_use by; span length{0}; std::string progress; };

// What a waiting step waits for
struct event_came {
  std::size_t step = 0;
  std::uint64_t number = 0; ///< of the event
  blob data;
  std::vector<fact> facts;
  std::string who;
};

/// The child of step `i` has ended, or goes on after it had ended.
struct child_ended { std::size_t step = 0; child_end end; };

// Supervision
struct round_failed { std::size_t step = 0; std::uint32_t attempt = 0; }; ///< the supervisor counts it and decides
struct deadline_passed {};
struct lock_released {};                        ///< its scheduler gave it back
struct lock_lapsed {};                          ///< its scheduler is gone
struct wait_noticed { std::size_t step = 0; };  ///< it has waited too long for an agent

// A person
struct by { std::string who; std::string why; };
struct step_retried { std::size_t step = 0; bool new_key = false; by person; };
struct step_skipped { std::size_t step = 0; blob result; std::vector<fact> facts; by person; };
struct payload_edited { blob payload; by person; };
struct undo_requested { by person; };
struct cancelled { by person; };
/// The answer to the question that the step asks. `result`: what later steps see of it.
struct answered {
  std::size_t step = 0;
  std::uint32_t attempt = 0;
  std::string choice;
  blob result;
  std::vector<fact> facts;
  by person;
};
struct suspended { by person; };
struct resumed { by person; };

// clang-format on

/// Everything that can happen to a task.
using event =
  std::variant<taken, time_passed, attempt_succeeded, attempt_failed, attempt_declined, attempt_stopped, probe_denied,
               attempt_taken_on, attempt_expired, later_completed, later_failed, later_extended, event_came,
               child_ended, round_failed, deadline_passed, lock_released, lock_lapsed, wait_noticed, step_retried,
               step_skipped, payload_edited, undo_requested, cancelled, answered, suspended, resumed>;

std::string_view name_of(const event& e); ///< "attempt_failed"

} // namespace steadfast::workflow
