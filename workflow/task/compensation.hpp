#pragma once

#include "workflow/task/task.hpp"

#include <cstddef>
#include <vector>

namespace steadfast::workflow {

/// Whether the step completed, or may have acted, and has a compensation that has not been settled yet.
bool needs_undo(const step& s, const step_definition& d);

/// Whether the child of the step was told to undo what it did, and has not ended since.
bool is_undo_of_child_awaited(const step& s, const step_definition& d);

/// Steps whose compensation may start: they need undo and have no open attempt, and no step after them in the graph,
/// directly or through others, still needs undo or has an open forward attempt. Time is not considered. Pattern
/// "Compensating Transaction": reverse order along the graph.
std::vector<std::size_t> ready_to_undo(const task& t, const definition& d);

/// Whether the step needs no undo and has no open forward attempt: then the steps before it may be undone.
bool is_settled(const step& s, const step_definition& d);

/// Steps whose compensation is under way although a step after them is not settled. A sound task has none.
std::vector<std::size_t> undone_too_early(const task& t, const definition& d);

/// The compensations that an undo begun now would run, in one possible order: for a preview.
std::vector<std::size_t> undo_order(const task& t, const definition& d);

/// Steps that happened, or may have, and that no undo reverses: they have no compensation, or it failed. By index.
std::vector<std::size_t> left_in_place(const task& t, const definition& d);

} // namespace steadfast::workflow
