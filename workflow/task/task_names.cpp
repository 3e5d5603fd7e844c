#include "workflow/task/task.hpp"

#include <array>

namespace steadfast::workflow {

std::string_view to_string(process_state s) {
  switch (s) {
    case process_state::pending: return "pending";
    case process_state::processing: return "processing";
    case process_state::processed: return "processed";
    case process_state::undoing: return "undoing";
    case process_state::undone: return "undone";
    case process_state::error: return "error";
    case process_state::suspended: return "suspended";
  }
  return "invalid";
}

std::string_view to_string(step_state s) {
  switch (s) {
    case step_state::not_started: return "not_started";
    case step_state::running: return "running";
    case step_state::completed: return "completed";
    case step_state::failed: return "failed";
    case step_state::unknown: return "unknown";
    case step_state::compensating: return "compensating";
    case step_state::compensated: return "compensated";
    case step_state::compensation_failed: return "compensation_failed";
    case step_state::skipped: return "skipped";
    case step_state::waiting: return "waiting";
  }
  return "invalid";
}

std::string_view to_string(attempt_action a) {
  switch (a) {
    case attempt_action::none: return "none";
    case attempt_action::perform: return "do";
    case attempt_action::probe: return "probe";
    case attempt_action::compensate: return "undo";
  }
  return "invalid";
}

std::string_view to_string(attempt_outcome o) {
  switch (o) {
    case attempt_outcome::open: return "open";
    case attempt_outcome::succeeded: return "succeeded";
    case attempt_outcome::failed_transient: return "failed_transient";
    case attempt_outcome::failed_permanent: return "failed_permanent";
    case attempt_outcome::declined: return "declined";
    case attempt_outcome::expired: return "expired";
    case attempt_outcome::stopped: return "stopped";
  }
  return "invalid";
}

std::optional<process_state> parse_process_state(std::string_view text) {
  using enum process_state;
  for (const auto s : std::array{pending, processing, processed, undoing, undone, error, suspended}) {
    if (to_string(s) == text)
      return s;
  }
  return std::nullopt;
}

} // namespace steadfast::workflow
