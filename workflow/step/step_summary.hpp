#pragma once

#include "workflow/step/few_steps.hpp"

#include <cstddef>
#include <cstdint>

namespace steadfast::workflow {

/// What makes the rules look at a step.
enum class step_mark : std::uint8_t {
  open,        ///< an attempt is open
  unfinished,  ///< neither completed nor skipped
  tried,       ///< may be tried again once all before it have passed, or waits
  untried,     ///< neither tried nor skipped
  acted,       ///< it happened, or may have happened, and was not undone
  undo_failed, ///< its undo failed: it is still in place
  burdened,    ///< waits for something, or counts failures
  settles,     ///< an ended attempt may act until a moment
};

/// Whether the step completed, or may have acted, and was not undone.
inline bool may_have_acted(const step& s) {
  switch (s.state) {
    case step_state::completed:
    case step_state::compensating:
    case step_state::unknown: return true;
    case step_state::not_started:
    case step_state::running:
    case step_state::failed:
    case step_state::skipped: return s.maybe_done; // of a person who skipped an unknown step
    case step_state::waiting: return ends_later(s);
    case step_state::compensated:
    case step_state::compensation_failed: return false;
  }
  return false;
}

inline bool is_burdened(const step& s) {
  return s.needs_review || s.tries != 0 || s.failure_count != 0 || s.cool_offs != 0 || s.probe_given_up
         || s.wait_alerted || s.waiting_since != unset || s.not_before != unset || !s.waiting_for.empty();
}

template <step_mark M>
bool has_mark(const step& s) {
  const bool idle = s.doing == attempt_action::none;
  switch (M) {
    case step_mark::open: return !idle;
    case step_mark::unfinished: return s.state != step_state::completed && s.state != step_state::skipped;
    case step_mark::tried:
      return idle
             && (s.state == step_state::unknown || s.state == step_state::waiting
                 || (s.state == step_state::not_started && s.attempt > 0));
    case step_mark::untried: return idle && s.state == step_state::not_started && s.attempt == 0;
    case step_mark::acted: return may_have_acted(s);
    case step_mark::undo_failed: return s.state == step_state::compensation_failed;
    case step_mark::burdened: return is_burdened(s);
    case step_mark::settles: return s.settles_at != unset;
  }
  return false;
}

/// A bit for each step that has the mark; the lowest bit is the first step.
template <step_mark M>
std::uint8_t marked_of(const few_steps& steps) {
  unsigned marked = 0;
  for (std::size_t i = 0; i < steps.size(); ++i)
    marked |= static_cast<unsigned>(has_mark<M>(steps[i])) << i;
  return static_cast<std::uint8_t>(marked);
}

/// What the rules want to know about a few steps without looking at each of them.
struct step_summary {
  std::uint64_t marks = 0; ///< a byte for each mark, with a bit for each step; of several summaries: 0 if none has it
  std::uint32_t last_order = 0; ///< the highest completed_order
  bool needs_review = false;    ///< any step does
  instant open_until = never;   ///< the earliest complete_by of an open attempt
  instant wakes_at = never;     ///< the earliest not_before of a step without an open attempt
  instant waits_since = never;  ///< the earliest waiting_since for which no alert was raised
  instant settles_at;           ///< the latest

  std::uint8_t of(step_mark m) const { return static_cast<std::uint8_t>(marks >> 8 * static_cast<unsigned>(m)); }
  /// Makes it the summary of both.
  void add(const step_summary& other);
};
step_summary summary_of(const few_steps& steps);

} // namespace steadfast::workflow
