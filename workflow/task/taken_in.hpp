#pragma once

#include "workflow/task/task.hpp"

#include <string_view>

namespace steadfast::workflow {

/// How the reason of the act begins that suspends a task which was taken in from another store before it had ended.
inline constexpr std::string_view imported = "imported";

inline bool was_taken_in(const act& a) {
  return a.why.starts_with(imported);
}

} // namespace steadfast::workflow
