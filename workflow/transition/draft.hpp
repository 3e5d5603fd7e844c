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
  bool is_caught_up = false;        ///< the steps were, before this; so only those after `passed` are new
  std::vector<std::size_t> passed;  ///< completed or skipped by this, and not followed up yet
  std::vector<std::size_t> begun{}; ///< began by this to wait for a child that is not there yet

  const step_definition& definition_of(std::size_t i) const { return d.steps[i]; }
};

/// Step `i` completed or was skipped: those after it may be startable now.
void let_pass(draft& x, std::size_t i, step_state how);

void record_act(draft& x, const by& person, std::string what);

/// Adds progress for the observer, if there is one.
void tell_observer(draft& x, notice_kind kind, std::string text = {}, std::string step = {});
void raise_alert(draft& x, std::string kind, std::string text, std::string step = {});

/// Begins attempt or wait in the step's story.
void log_attempt(const draft& x, step& s, attempt_action action, std::string agent);

/// Step `i` happened.
void complete(draft& x, std::size_t i, blob result, std::vector<fact> facts);

/// Ends the open attempt of step `i` in the step's story.
void close_attempt(draft& x, std::size_t i, attempt_outcome outcome, std::string_view note = {});

/// After an attempt whose service has not said how it ended: it may act until complete-by, and its messages for the
/// grace after. Of a step that may end later, the answer that it was begun may be lost: then it may act as long as it
/// could without a word from an answer at complete-by on.
void settle_later(draft& x, std::size_t i);

/// The step as it is before its next attempt: unknown if an earlier one may have acted.
void back_to_start(step& s);

/// The step as one that has not failed yet and waits for nothing.
void reset_counts(step& s);

/// Lets step `i` wait until `until`, for the reason given.
void let_wait(step& s, instant until, std::string why);

} // namespace steadfast::workflow
