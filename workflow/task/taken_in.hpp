#pragma once

#include "workflow/task/task.hpp"

#include <string_view>

namespace steadfast::workflow {

/// So begins the reason of the act that suspends a task which is taken in from another store before it has ended.
inline constexpr std::string_view imported = "imported";

inline bool was_taken_in(const act& a) {
  return a.why.starts_with(imported);
}

} // namespace steadfast::workflow
