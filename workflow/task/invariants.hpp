#pragma once

#include "workflow/task/task.hpp"

#include <string>
#include <vector>

namespace steadfast::workflow {

/// The invariants that the task breaks, one sentence each; empty for every task that apply() made. Checked before
/// writing, after reading, and in every test.
std::vector<std::string> broken_invariants(const task& t, const definition& d);

/// What is remembered of a task that broke nothing, until the task changes.
struct sound_task {
  process_state state = process_state::pending;
  process_state resume_state = process_state::pending;
  step_list steps;

  sound_task() = default;
  // NOLINTNEXTLINE(google-explicit-constructor): a task of which nothing is broken is one
  sound_task(const task& t) : state{t.state}, resume_state{t.resume_state}, steps{t.steps} {}
};

/// The same, for a task that was made from the sound one: looks only at what the two do not share. Correct for any
/// other task too, but then it takes longer.
std::vector<std::string> broken_invariants(const task& t, const definition& d, const sound_task& sound);

} // namespace steadfast::workflow
