#pragma once

#include "store/verbs/tasks/new_task.hpp"

#include <optional>

// A submission takes the place of one that has not begun.

namespace steadfast::store {

/// What acts say of it in the story of a task, and by whom they are.
inline constexpr const char* replace_act = "replace";
inline constexpr const char* by_submission = "(a submission)";

/// A scheduler may have taken it, but nothing was begun.
bool has_begun(const workflow::task& t);

/// Whether the task has that content now.
bool says_the_same(const submit_task& w, const workflow::task& there);

/// A submission has taken its place, so that its content is not the one that it was made with.
bool was_replaced(const workflow::task& t);

struct replacement {
  answer<submit_task> said;
  std::optional<workflow::task> next{}; ///< absent: it stays as it is
};
/// `there`: the task of its id, with its payload. `of`: its workflow. REQUIRES: there is no problem_of it.
replacement decide_replacement(const submit_task& w, const workflow::task& there, const known_workflow& of);

} // namespace steadfast::store
