#pragma once

#include "actors/protocol/agent_messages.hpp"
#include "workflow/definition/definition.hpp"
#include "workflow/transition/event.hpp"

#include <cstddef>
#include <string>

// Between the rules, which speak of attempts, and the agents, which are sent orders and answer with reports.

namespace steadfast::actors {

/// The order for the open attempt of a step. `clock` names the one by which the task was decided.
step_order order_for(const workflow::task& t, const workflow::definition& d, std::size_t step, std::string input,
                     workflow::instant clock);

/// What a report means to the rules. With `draining`, what follows is not begun here.
workflow::event event_of(attempt_report m, const workflow::definition& d, bool draining);

} // namespace steadfast::actors
