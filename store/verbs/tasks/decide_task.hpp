#pragma once

#include "store/contract/options.hpp"
#include "store/outline/task_outline.hpp"
#include "store/records/stored.hpp"
#include "store/verbs/decide.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

// Whether a task may be made, changed or taken in.

namespace steadfast::store {

/// Covers all that identifies a submission. When it may start, how urgent it is and who is told may differ.
using submission_digest = std::array<std::uint64_t, 2>;
/// JSON texts that mean the same have the same digest.
submission_digest digest_of(const workflow::submission& s);

/// What is wrong with the write by itself, whatever is stored; absent: nothing.
std::optional<decision> problem_of(const submit_task& w, const store_options& limits);
/// Why it is not the submission for which its id stands already; absent: it is. `digest`: that of the new one.
std::optional<decision> conflict_of(const submit_task& w, const submission_digest& digest, const task_ref& there);

/// What is asked while an update is decided, and only if nothing else speaks against it. Absent: nothing is wrong.
struct update_questions {
  std::function<std::optional<decision>()> not_held;     ///< why its writer may not write, see decide_lease.hpp
  std::function<std::optional<decision>()> not_for_bulk; ///< why it is not for its bulk act, see decide_bulk.hpp
};
/// Why the task cannot take its next state; absent: it can. `there`: null: there is no such task. REQUIRES: the update
/// has all steps, see with_its_steps.
std::optional<decision> refused(const update_task& w, const task_outline* there, const store_options& limits,
                                const update_questions& ask);
/// An update that was sent without the steps that did not change, completed by them.
struct whole_update {
  std::optional<update_task> whole; ///< absent: it is out of date, or the steps that were sent do not fit
  decision refused;                 ///< why
};
/// `there`: null: there is no such task.
whole_update with_its_steps(const update_task& w, const task_outline* there);

/// What is wrong with the write by itself, whatever is stored; absent: nothing.
std::optional<decision> problem_of(const import_task& w, const store_options& limits);
/// Why its id is not free; absent: it is.
std::optional<decision> conflict_of(const import_task& w, bool is_there);
/// The task as it is taken in: no scheduler has it, and unless it has ended it is suspended.
struct imported_task {
  workflow::task task;
  std::vector<workflow::notice> notices;
};
imported_task taken_in(const import_task& w, std::uint64_t number);
/// As it is noted among the acts of persons.
record_act act_of(const import_task& w);
/// What a person did to the task by this change; absent: nothing. `before`: the acts of persons until then.
std::optional<record_act> act_of(const workflow::task& next, const std::vector<workflow::act>& before);

} // namespace steadfast::store
