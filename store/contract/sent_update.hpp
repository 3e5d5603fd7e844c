#pragma once

#include "store/contract/write.hpp"

#include <optional>

/// How an update of a task with many steps is sent to another node.
namespace steadfast::store {

/// The task has more steps than are sent with each change, and its steps before the change are known.
bool is_sent_in_part(const update_task& u);
/// The update without the steps that did not change. REQUIRES: is_sent_in_part.
update_task in_part(const update_task& u);
/// The whole update, made with the task's stored steps. Nothing: the part does not fit them.
std::optional<update_task> made_whole(const update_task& part, const workflow::step_list& steps);

} // namespace steadfast::store
