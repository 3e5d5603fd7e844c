#pragma once

#include "workflow/task/task.hpp"

#include <cstddef>
#include <vector>

namespace steadfast::workflow {

/// The step completed, or may have acted, and has a compensation that has not been settled yet.
bool needs_undo(const step& s, const step_definition& d);

/// Its child was told to undo what it did, and has not ended since.
bool is_undo_of_child_awaited(const step& s, const step_definition& d);

/// Steps whose compensation may start: they need undo and have no open attempt, and no step that comes after them in
/// the graph, directly or through others, still needs undo or has an open forward attempt. Time is not looked at.
/// Pattern "Compensating Transaction": reverse order along the graph.
std::vector<std::size_t> ready_to_undo(const task& t, const definition& d);

/// It needs no undo, and no forward attempt of it is open: what it came after may be undone.
bool is_settled(const step& s, const step_definition& d);

/// Steps whose compensation is under way although one that comes after them is not settled. None, of a sound task.
std::vector<std::size_t> undone_too_early(const task& t, const definition& d);

/// The compensations that an undo begun now would run, in one possible order: for a preview.
std::vector<std::size_t> undo_order(const task& t, const definition& d);

/// Steps that happened, or may have, and that no undo reverses: they have no compensation, or it failed. By index.
std::vector<std::size_t> left_in_place(const task& t, const definition& d);

} // namespace steadfast::workflow
