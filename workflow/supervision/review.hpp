#pragma once

#include "workflow/transition/transition.hpp"

#include <string>
#include <vector>

namespace steadfast::workflow {

/// What the supervisor finds missing: the events that somebody should have raised by now and did not, in the order in
/// which to apply them. Empty: the task is well. `slack` is how late a wake-up may come before the scheduler that owes
/// it counts as lost. Source: pattern "Scheduler Agent Supervisor".
std::vector<event> review(const task& t, const definition& d, const clock_reading& clock, span slack = span{5000});

/// The events of a review, applied one after the other, as one change without commands: these are left to the task's
/// scheduler, which reads the task again. If the task turns round, the change begins nothing forward before that.
change apply_review(const task& t, const definition& d, const clock_reading& clock, span slack = span{5000});

/// For people, once a review has made `next` of a task that was stuck. `why`: as why_stuck() said.
alert alert_of_stuck(const std::string& why, const task& t, const task& next, instant now);

} // namespace steadfast::workflow
