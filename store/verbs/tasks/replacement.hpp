#pragma once

#include "store/verbs/tasks/new_task.hpp"

#include <optional>

// A submission comes again, or takes the place of one that has not begun.

namespace steadfast::store {

/// Why a submission does not take an id that a task has; absent: it depends on that task.
std::optional<decision> refused_as_there(const submit_task& w);
/// Of such an id, of a submission that does not ask to replace. `conflict`: as conflict_of says, of what the id stands
/// for. `there`: its task, with its payload if there is a conflict: another submission may have taken its place; null:
/// it was set aside.
answer<submit_task> submitted_again(const submit_task& w, std::optional<decision> conflict,
                                    const workflow::task* there);

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
