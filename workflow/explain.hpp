#pragma once

#include "workflow/task.hpp"

#include <string>
#include <vector>

namespace steadfast::workflow {

/// One sentence about where the task is or what happens next.
struct explanation {
  std::string text;
  instant at = unset; ///< when, if the sentence speaks of a moment

  friend bool operator==(const explanation&, const explanation&) = default;
};

/// Why the task is where it is, and what happens next and when. Never empty.
std::vector<explanation> explain(const task& t, const definition& d, instant now);

} // namespace steadfast::workflow
