#pragma once

#include "actors/protocol/client_messages.hpp"
#include "workflow/transition/event.hpp"

#include <optional>

namespace steadfast::actors {

/// The event of an act on a task; none if the act names no step of the task.
std::optional<workflow::event> event_of(const act_on_task& m, const workflow::task& t, const workflow::definition& d);

/// The event of the use of a token.
workflow::event event_of(const use_token& m, const workflow::definition& d);

/// The event of an answer to the question of a step; none if there is no such step.
std::optional<workflow::event> event_of(const give_answer& m, const workflow::task& t, const workflow::definition& d);

/// Why there is no event.
std::string why_no_event(const act_on_task& m);
std::string why_no_event(const give_answer& m);
/// Why an act is refused if the task no longer has revision `since`.
std::string why_changed(std::uint64_t since);

} // namespace steadfast::actors
