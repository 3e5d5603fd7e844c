#pragma once

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
};

/// Stored. What an attempt is for.
enum class attempt_action : std::uint8_t {
  none = 0, ///< no attempt is open
  perform = 1,
  probe = 2,
  compensate = 3,
};

/// Stored. How an attempt ended.
enum class attempt_outcome : std::uint8_t {
  open = 0,
  succeeded = 1,
  failed_transient = 2,
  failed_permanent = 3,
  declined = 4, ///< the agent never sent it
  expired = 5,  ///< complete-by passed
  stopped = 6,  ///< not wanted any more, and its agent was told so before it ended
};

std::string_view to_string(step_state s);
std::string_view to_string(attempt_action a); ///< "do", "probe", "undo"
std::string_view to_string(attempt_outcome o);

/// A value found in a step's result, kept with the state so that conditions need not read the result again.
struct fact {
  std::string pointer;
  std::string json; ///< compact JSON text

  friend bool operator==(const fact&, const fact&) = default;
};

/// One line of a step's story.
struct attempt_record {
  std::uint32_t number = 0;
  attempt_action action = attempt_action::perform;
  attempt_outcome outcome = attempt_outcome::open;
  std::uint64_t epoch = 0; ///< lock epoch it was dispatched under
  instant started_at;
  instant ended_at;
  std::string agent;
  std::string note; ///< error text or reason, at most note_size_max bytes

  friend bool operator==(const attempt_record&, const attempt_record&) = default;
};

/// One step of a task.
struct step {
  step_state state = step_state::not_started;
  attempt_action doing = attempt_action::none; ///< of the open attempt
  std::uint32_t attempt = 0;                   ///< number of the last attempt; do, probe and undo share the count
  std::uint32_t tries = 0;                     ///< failed attempts of the present round
  std::uint32_t failure_count = 0;             ///< failed rounds since the last cool-off
  std::uint32_t cool_offs = 0;                 ///< cool-offs used
  std::uint32_t key_generation = 0;            ///< raised when a person asks for a new idempotency key
  bool maybe_done = false;                     ///< an ended attempt may have acted
  bool needs_review = false;                   ///< a round is used up; the supervisor counts it and decides
  bool probe_given_up = false;                 ///< the probe asked before undo gave no answer
  bool wait_alerted = false;                   ///< the alert for a long wait was raised
  instant complete_by;                         ///< of the last attempt
  instant settles_at;                          ///< from here on no ended attempt can act any more
  instant not_before;                          ///< earliest next attempt
  instant waiting_since;                       ///< first of the refusals in a row by which no agent took it
  instant completed_at;
  std::uint32_t completed_order = 0; ///< 1 for the step that completed first
  blob result;
  std::vector<fact> facts;
  std::string error;               ///< last failure
  std::string waiting_for;         ///< why the next attempt waits, in words
  std::vector<attempt_record> log; ///< at most attempts_logged_max, the newest
  std::uint32_t log_dropped = 0;   ///< older lines that gave way

  friend bool operator==(const step&, const step&) = default;
};

inline constexpr std::size_t attempts_logged_max = 32;
inline constexpr std::size_t note_size_max = 256;

} // namespace steadfast::workflow
