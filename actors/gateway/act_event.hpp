#pragma once

#include "actors/protocol/client_messages.hpp"
#include "workflow/transition/event.hpp"

#include <optional>

namespace steadfast::actors {

/// The event of an act on a task; none if the act names no step of the task.
std::optional<workflow::event> event_of(const act_on_task& m, const workflow::task& t, const workflow::definition& d);

/// The same of the use of a token.
workflow::event event_of(const use_token& m, const workflow::definition& d);

/// The same of an answer to the question of a step.
std::optional<workflow::event> event_of(const give_answer& m, const workflow::task& t, const workflow::definition& d);

/// Why there is none.
std::string why_no_event(const act_on_task& m);
std::string why_no_event(const give_answer& m);
/// Of an act on a task that has another revision than that one.
std::string why_changed(std::uint64_t since);

} // namespace steadfast::actors
