#pragma once

#include "workflow/definition/definition.hpp"
#include "workflow/task/clock_reading.hpp"
#include "workflow/task/task.hpp"

#include <optional>
#include <string>

namespace steadfast::workflow {

/// Why a task does not move at present.
struct wait {
  std::string cause;  ///< the same for all tasks that wait for the same thing: without numbers and moments
  std::string detail; ///< the same with all details
  instant since;
  bool is_meant = false; ///< its workflow, its submission or a person lets it wait

  friend bool operator==(const wait&, const wait&) = default;
};

/// When a person last suspended the task. REQUIRES: it is suspended.
instant suspended_at(const task& t);

/// An event or an answer that comes then or later comes too late for the step. REQUIRES: it waits for one.
instant told_until(const step& s, const wait_rule& rule);

/// Whether a step of it was ever started: before, `not_before` is the moment that its submitter named.
bool was_started(const task& t);

/// Nothing: the task has ended, or an attempt is under way, or the next one is due.
std::optional<wait> wait_of(const task& t, const definition& d, instant now);

/// Whether something will be due, a scheduler may take it, or it rests until a person acts. True of all stored tasks.
bool has_next_thing(const task& t, const definition& d);

/// Why nobody would ever continue the task, though it has not ended: nothing is due, or what was due `patience` ago was
/// not taken up. Empty: all is well. No task should be stuck: the supervisor looks for such tasks and frees them.
std::string why_stuck(const task& t, const definition& d, const clock_reading& clock, span patience);

} // namespace steadfast::workflow
