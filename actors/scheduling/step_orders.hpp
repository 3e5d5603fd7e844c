#pragma once

#include "actors/protocol/agent_messages.hpp"
#include "workflow/definition/definition.hpp"
#include "workflow/transition/event.hpp"

#include <cstddef>
#include <string>

// Translates between the rules, which know attempts, and the agents, which get orders and answer with reports.

namespace steadfast::actors {

/// The order for the open attempt of a step. `clock` identifies the clock by which the task was decided.
step_order order_for(const workflow::task& t, const workflow::definition& d, std::size_t step, std::string input,
                     workflow::instant clock);

/// What a report means to the rules.
workflow::event event_of(attempt_report m, const workflow::definition& d);

} // namespace steadfast::actors
