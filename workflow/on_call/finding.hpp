#pragma once

#include "workflow/definition/definition.hpp"
#include "workflow/task/task.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

// How people find tasks among many: by where they stand, counted by what they have in common, in a chosen order.

namespace steadfast::workflow {

/// The step that an unfinished task is at: the first in trouble, else the first under way, else the first that may
/// begin. For a task that was undone: the step that was the reason. Nothing: it was processed, or no step was.
std::optional<std::size_t> current_step(const task& t, const definition& d);

/// Sent between processes. By what tasks are counted.
enum class task_grouping : std::uint8_t { none = 0, workflow = 1, state = 2, cause = 3, agent = 4, step = 5, hour = 6 };
inline constexpr std::string_view task_grouping_names[] = {"", "workflow", "state", "cause", "agent", "step", "hour"};
std::optional<task_grouping> parse_task_grouping(std::string_view text);

/// What the task has in common with the others of its group: a name, the cause as incidents generalize it, the agent of
/// the last attempt at its current step, the hour of its submission in milliseconds since 1970. Empty: it has none.
std::string group_of(const task& t, const definition& d, task_grouping by);

/// Sent between processes. The order of a list: the newest, the longest or the most first; by priority, deadline and
/// text the lowest first.
enum class task_order : std::uint8_t {
  submitted = 1,
  ended = 2,
  took = 3, ///< from submission to its end
  failures = 4,
  priority = 5,
  deadline = 6,
  id = 7,
  workflow = 8,
};
inline constexpr std::string_view task_order_names[] = {"",         "submitted", "ended", "took",    "failures",
                                                        "priority", "deadline",  "id",    "workflow"};
std::optional<task_order> parse_task_order(std::string_view text);

/// Bytes that compare as the tasks are ordered in a list. Tasks without such a value, for instance because they have
/// not ended, come last, even when the order is reversed.
std::string order_key(const task& t, task_order by, bool is_reversed);

} // namespace steadfast::workflow
