#pragma once

#include "workflow/definition/payload_needs.hpp"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace steadfast::workflow {

/// Must live as long as whoever asked for it.
struct workflow_of_child {
  const definition* what = nullptr; ///< null: there is none of that name
  const payload_needs* needs = nullptr;
};
/// The newest workflow of a name, which a task would have that a step starts now.
using find_workflow = std::function<workflow_of_child(const std::string& name)>;

/// Why steps of `d` could not start their tasks with what they would give them of that payload, one sentence each; only
/// a few if there are many. Looks at steps that begin for certain, and at tasks whose payload is the task's own, a part
/// of it, or an item of it that may not fail; also at what these start in their turn. REQUIRES: `payload` has what `d`
/// itself needs.
std::vector<std::string> problems_of_children(const definition& d, std::string_view payload, const find_workflow& find);

} // namespace steadfast::workflow
