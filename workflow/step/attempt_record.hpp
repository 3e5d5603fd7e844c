#pragma once

#include "workflow/time/time.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace steadfast::workflow {

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
  stopped = 6,  ///< no longer wanted, and its agent was told so before it ended
};

std::string_view to_string(attempt_action a); ///< "do", "probe", "undo"
std::string_view to_string(attempt_outcome o);

/// One line of a step's story.
struct attempt_record {
  std::uint32_t number = 0;
  attempt_action action = attempt_action::perform;
  attempt_outcome outcome = attempt_outcome::open;
  std::uint64_t epoch = 0; ///< lock epoch under which it was dispatched
  instant started_at;
  instant ended_at;
  std::string agent;
  std::string note; ///< error text or reason, at most note_size_max bytes

  friend bool operator==(const attempt_record&, const attempt_record&) = default;
};

} // namespace steadfast::workflow
