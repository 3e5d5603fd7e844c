#pragma once

#include "workflow/definition/definition.hpp"
#include "workflow/task/mapped.hpp"
#include "workflow/task/task.hpp"

#include <string>

namespace steadfast::actors {

using workflow::facts_of;
using workflow::result_of;

/// The input of an attempt, made as the definition says, or why it cannot be made.
struct step_input {
  std::string bytes;
  std::string problem; ///< empty: `bytes` is good
};
step_input make_input(const workflow::task& t, const workflow::definition& d, std::size_t step,
                      workflow::attempt_action action);

} // namespace steadfast::actors
