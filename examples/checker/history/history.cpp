#include "examples/checker/history/history.hpp"

namespace checker {

names::id names::of(std::string_view text) {
  if (const auto found = ids_.find(text); found != ids_.end())
    return found->second;
  const auto n = static_cast<id>(texts_.size());
  const auto added = ids_.emplace(text, n).first;
  texts_.push_back(&added->first);
  return n;
}

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

bool has_ended(process_state s) {
  return s == process_state::processed || s == process_state::undone || s == process_state::error;
}

} // namespace checker
