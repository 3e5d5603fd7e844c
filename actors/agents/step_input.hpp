#pragma once

#include "workflow/definition/definition.hpp"
#include "workflow/task/task.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace steadfast::actors {

/// The input of an attempt, as the definition maps it, or why it cannot be made.
struct step_input {
  std::string bytes;
  std::string problem; ///< empty: `bytes` is good
};
step_input make_input(const workflow::task& t, const workflow::definition& d, std::size_t step,
                      workflow::attempt_action action);

/// The result of the task, as its workflow maps it (workflow::result_mapping): a JSON text. Empty: it is not processed,
/// or the workflow defines no result. REQUIRES: the task with its large results.
std::string result_of(const workflow::task& t, const workflow::definition& d);

/// The values that conditions of the definition read from this result of step `step`; missing ones are left out.
std::vector<workflow::fact> facts_of(const workflow::definition& d, std::size_t step, std::string_view result);

} // namespace steadfast::actors
