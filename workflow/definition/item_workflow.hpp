#pragma once

#include "workflow/definition/definition.hpp"

#include <cstddef>
#include <string>
#include <vector>

// A step with an agent that goes over items has each of them carried out as a task of a workflow of one step, which is
// made of its own definition. docs/decisions/0007-waiting.md

namespace steadfast::workflow {

/// The step goes over items, and no other workflow is named for them.
inline bool has_item_workflow(const step_definition& s) {
  return is_over_items(s) && s.wait->name.empty();
}

/// The name of the workflow of step `i`'s items: "WORKFLOW--STEP", or its beginning and a digest where that is too
/// long. REQUIRES: the step goes over items.
std::string workflow_of_items(const definition& d, std::size_t i);
/// Its version; 0: the newest.
std::uint32_t version_of_items(const definition& d, std::size_t i);

/// The workflow that is made of step `i`, with the version of its own. REQUIRES: has_item_workflow.
definition item_workflow(const definition& d, std::size_t i);
/// All of them.
std::vector<definition> item_workflows(const definition& d);

} // namespace steadfast::workflow
