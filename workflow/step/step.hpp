#pragma once

#include "workflow/step/attempt_log.hpp"
#include "workflow/step/rare_value.hpp"
#include "workflow/text/blob.hpp"
#include "workflow/time/time.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace steadfast::workflow {

/// Stored. A number is never changed and never used again.
enum class step_state : std::uint8_t {
  not_started = 1,
  running = 2,
  completed = 3,
  failed = 4,  ///< the remote side refused it: nothing happened
  unknown = 5, ///< an attempt was sent and nobody knows whether it acted
  compensating = 6,
  compensated = 7,
  compensation_failed = 8,
  skipped = 9,
  waiting = 10, ///< for what its definition names, until `not_before`; no agent has it
};

std::string_view to_string(step_state s);

/// A value from a step's result, kept with the state so that conditions need not read the result again.
struct fact {
  std::string pointer;
  std::string json; ///< compact JSON text

  friend bool operator==(const fact&, const fact&) = default;
};

/// For a step that waits for somebody, or has waited; most steps never do.
struct wait_state {
  std::string token;       ///< digest of the token that ends a waiting step which an agent has begun; otherwise empty
  std::string progress;    ///< what was last told about it with that token
  std::string event_key;   ///< of the event that it waits for, or has taken
  std::uint64_t event = 0; ///< number of the event that it has taken; 0: none
  std::uint32_t calls = 0; ///< of a repeated step: calls that ended without the wanted result

  friend bool operator==(const wait_state&, const wait_state&) = default;
};

/// One step of a task.
struct step {
  step_state state = step_state::not_started;
  attempt_action doing = attempt_action::none; ///< of the open attempt
  std::uint32_t attempt = 0;                   ///< number of the last attempt; do, probe and undo share the count
  std::uint32_t tries = 0;                     ///< failed attempts of the current round
  std::uint32_t failure_count = 0;             ///< failed rounds since the last cool-off
  std::uint32_t cool_offs = 0;                 ///< cool-offs used
  std::uint32_t key_generation = 0;            ///< raised when a person asks for a new idempotency key
  bool maybe_done = false;                     ///< an ended attempt may have acted
  bool needs_review = false;                   ///< a round is used up; the supervisor counts it and decides
  bool probe_given_up = false;                 ///< the probe that was sent before an undo gave no answer
  bool wait_alerted = false;                   ///< the alert for a long wait was raised
  instant complete_by;                         ///< of the last attempt
  instant settles_at;                          ///< from here on, no ended attempt can act any more
  instant not_before;                          ///< earliest next attempt; for a waiting step, the end of the wait
  instant waiting_since;                       ///< when the first of the refusals in a row came: no agent takes it
  instant completed_at;
  std::uint32_t completed_order = 0; ///< 1 for the step that completed first
  std::uint32_t log_dropped = 0;     ///< how many lines of `log` were dropped
  blob result;
  std::vector<fact> facts;
  std::string error;       ///< last failure
  std::string waiting_for; ///< why the next attempt waits, in words
  attempt_log log;         ///< at most attempts_logged_max, the newest
  rare_value<wait_state> wait;

  friend bool operator==(const step&, const step&) = default;
};

/// An agent has begun the step, and it is not over. It may act, just as a step with an open attempt may.
inline bool ends_later(const step& s) {
  return s.state == step_state::waiting && !s.wait->token.empty();
}

inline constexpr std::size_t attempts_logged_max = 32;
inline constexpr std::size_t note_size_max = 256;

} // namespace steadfast::workflow
