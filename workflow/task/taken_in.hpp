#pragma once

#include "workflow/task/task.hpp"

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace steadfast::workflow {

/// How the reason of the act begins that suspends a task which was taken in from another store before it had ended.
inline constexpr std::string_view imported = "imported";

inline bool was_taken_in(const act& a) {
  return a.why.starts_with(imported);
}

/// Whether the items of step `i` stayed in another store, from which the task was taken in after it had begun them.
/// REQUIRES: the step was begun.
inline bool are_items_elsewhere(const task& t, std::size_t i) {
  const auto begun = t.steps[i].log.back().started_at;
  return std::any_of(t.acts.begin(), t.acts.end(), [begun](const act& a) { return was_taken_in(a) && a.at >= begun; });
}

} // namespace steadfast::workflow
