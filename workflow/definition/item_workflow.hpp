#pragma once

#include "workflow/definition/definition.hpp"

#include <cstddef>
#include <string>
#include <vector>

// If a step over items has an agent, each item is carried out as a task of a workflow with one step, which is made from
// the step's own definition. docs/decisions/0007-waiting.md

namespace steadfast::workflow {

inline constexpr std::size_t items_max = 10'000; ///< of one step

/// Whether the step is over items and names no other workflow for them.
inline bool has_item_workflow(const step_definition& s) {
  return is_over_items(s) && s.wait->name.empty();
}

/// The name of the workflow for the items of step `i`: "WORKFLOW--STEP", or if that is too long its beginning and a
/// digest. REQUIRES: the step is over items.
std::string workflow_of_items(const definition& d, std::size_t i);
/// Its version; 0: the newest.
std::uint32_t version_of_items(const definition& d, std::size_t i);

/// The workflow that is made from step `i`, with the same version as `d`. REQUIRES: has_item_workflow.
definition item_workflow(const definition& d, std::size_t i);
/// The workflows that are made from all such steps.
std::vector<definition> item_workflows(const definition& d);

} // namespace steadfast::workflow
