#pragma once

#include "tests/support/chooser.hpp"

#include "workflow/transition/transition.hpp"

namespace steadfast::tests {

/// A sound definition of one to six steps with short spans, so that limits are reached soon. Some of them only wait, if
/// they may.
workflow::definition random_definition(chooser& choose, bool may_wait = true, bool may_start = false);

/// One of up to some hundred steps: those of a random workflow, and more of their kind.
workflow::definition large_definition(chooser& choose);

/// An event that may fit the task, or be stale, doubled, foreign or out of range.
workflow::event random_event(chooser& choose, const workflow::task& t);

/// What a person may do, whether it fits or not.
workflow::event person_event(chooser& choose, const workflow::task& t);

/// A little later, or as late as something in the task is due.
workflow::instant random_moment(chooser& choose, const workflow::task& t, const workflow::definition& d,
                                workflow::instant now);

} // namespace steadfast::tests
