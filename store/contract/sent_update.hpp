#pragma once

#include "store/contract/write.hpp"

#include <optional>

/// What goes to another node of an update of a task with many steps.
namespace steadfast::store {

/// It has more steps than are sent with each change, and what they were before is known.
bool is_sent_in_part(const update_task& u);
/// Without the steps that are as they were. REQUIRES: is_sent_in_part.
update_task in_part(const update_task& u);
/// The whole, where the task has those steps. Nothing: it does not fit.
std::optional<update_task> made_whole(const update_task& part, const workflow::step_list& steps);

} // namespace steadfast::store
