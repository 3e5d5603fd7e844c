#pragma once

#include "store/verbs/tasks/new_task.hpp"

#include <optional>

// A submission is repeated, or replaces the task of an earlier one that has not begun.

namespace steadfast::store {

/// Why a submission does not accept an id that a task has already; absent: that depends on the task.
std::optional<decision> refused_as_there(const submit_task& w);
/// For a submission with such an id that does not ask to replace. `conflict`: what conflict_of says about the
/// submission for which the id stands. `there`: its task, with its payload if there is a conflict, for another
/// submission may have replaced it; null: it was set aside.
answer<submit_task> submitted_again(const submit_task& w, std::optional<decision> conflict,
                                    const workflow::task* there);

/// How a replacement is noted in the story of a task: the act, and by whom.
inline constexpr const char* replace_act = "replace";
inline constexpr const char* by_submission = "(a submission)";

/// False also when a scheduler has taken the task but nothing was begun.
bool has_begun(const workflow::task& t);

/// Whether the task has the content of the submission now.
bool says_the_same(const submit_task& w, const workflow::task& there);

/// Whether another submission has replaced its content: it is not the one with which the task was made.
bool was_replaced(const workflow::task& t);

struct replacement {
  answer<submit_task> said;
  std::optional<workflow::task> next{}; ///< absent: the task stays as it is
};
/// `there`: the task with its id and payload. `of`: its workflow. REQUIRES: there is no problem_of it.
replacement decide_replacement(const submit_task& w, const workflow::task& there, const known_workflow& of);

} // namespace steadfast::store
