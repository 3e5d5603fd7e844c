#pragma once

#include "store/contract/options.hpp"
#include "store/outline/task_outline.hpp"
#include "store/records/stored.hpp"
#include "store/verbs/decide.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

// Whether a task may be made, changed or taken in.

namespace steadfast::store {

/// Of all that makes a submission what it is; when it may start, how urgent it is and who is told may differ.
using submission_digest = std::array<std::uint64_t, 2>;
/// The same for JSON that says the same.
submission_digest digest_of(const workflow::submission& s);

/// What is wrong with it, whatever is known; absent: nothing.
std::optional<decision> problem_of(const submit_task& w, const store_options& limits);
/// Why it is not the submission that its id stands for already; absent: it is. `digest`: its own.
std::optional<decision> conflict_of(const submit_task& w, const submission_digest& digest, const task_ref& there);

/// Why it was made from another state than the one that is there; absent: from that.
std::optional<decision> overtaken(const update_task& w, const task_outline& there);
/// One that was sent without the steps that the task has already, with them.
struct whole_update {
  std::optional<update_task> whole; ///< absent: those that were sent do not fit
  decision refused;                 ///< why
};
whole_update with_its_steps(const update_task& w, const task_outline& there);
/// Why its next state cannot follow; absent: it can.
std::optional<decision> problem_of(const update_task& w, const task_outline& there, const store_options& limits);

/// What is wrong with it, whatever is known; absent: nothing.
std::optional<decision> problem_of(const import_task& w, const store_options& limits);
/// Why its id is not free; absent: it is.
std::optional<decision> conflict_of(const import_task& w, bool is_there);
/// How it is taken in: nobody has it, and it rests unless it has ended.
struct imported_task {
  workflow::task task;
  std::vector<workflow::notice> notices;
};
imported_task taken_in(const import_task& w, std::uint64_t number);
/// As it is noted among the acts of persons.
record_act act_of(const import_task& w);
/// What a person did to the task with this change; absent: nothing. `before`: what persons did until then.
std::optional<record_act> act_of(const workflow::task& next, const std::vector<workflow::act>& before);

} // namespace steadfast::store
