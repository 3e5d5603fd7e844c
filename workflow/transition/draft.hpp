#pragma once

#include "workflow/transition/transition.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace steadfast::workflow {

/// A transition in the making: the next task and what must be committed with it. Used by the rules only.
struct draft {
  const definition& d;
  instant now;
  task t;
  std::vector<notice> notices;
  std::vector<alert> alerts;
  bool starts_nothing = false;      ///< its scheduler is about to stop
  bool is_caught_up = false;        ///< the steps were caught up before this; so only those after `passed` are new
  std::vector<std::size_t> passed;  ///< completed or skipped by this, and what follows is not started yet
  std::vector<std::size_t> begun{}; ///< began by this to wait for a child that does not exist yet

  const step_definition& definition_of(std::size_t i) const { return d.steps[i]; }
};

/// Step `i` completed or was skipped: the steps after it may be startable now.
void let_pass(draft& x, std::size_t i, step_state how);

void record_act(draft& x, const by& person, std::string what);

/// Adds progress for the observer, if there is one.
void tell_observer(draft& x, notice_kind kind, std::string text = {}, std::string step = {});
void raise_alert(draft& x, std::string kind, std::string text, std::string step = {});

/// Adds the beginning of an attempt or a wait to the step's story.
void log_attempt(const draft& x, step& s, attempt_action action, std::string agent);

/// Step `i` happened.
void complete(draft& x, std::size_t i, blob result, std::vector<fact> facts);

/// Closes the open attempt of step `i` in the step's story.
void close_attempt(draft& x, std::size_t i, attempt_outcome outcome, std::string_view note = {});

/// After an attempt whose service has not said how it ended: it may act until complete-by, and its messages during the
/// grace after that. If the step may end later, the answer that it was begun may be lost: then it may act for as long
/// as if that answer had come at complete-by and no word after it.
void settle_later(draft& x, std::size_t i);

/// Takes the step back to before its next attempt: unknown if an earlier one may have acted.
void back_to_start(step& s);

/// Makes the step one that has not failed yet and waits for nothing.
void reset_counts(step& s);

/// Lets step `i` wait until `until`, for the reason given.
void let_wait(step& s, instant until, std::string why);

} // namespace steadfast::workflow
