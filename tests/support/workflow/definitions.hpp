#pragma once

#include "workflow/definition/definition.hpp"
#include "workflow/task/task.hpp"

#include <string>
#include <vector>

namespace steadfast::tests {

/// A step of agent `svc` with a compensation; no jitter, so that waits are round numbers.
workflow::step_definition step_named(std::string name);

/// A step that sleeps.
workflow::step_definition sleep_named(std::string name, workflow::span length);
/// A step that waits for the moment that is found there.
workflow::step_definition until_named(std::string name, workflow::source at);

/// A workflow `w` of these steps, one after another.
workflow::definition pipeline(std::vector<workflow::step_definition> steps);

/// A workflow of steps `a` and `b`.
workflow::definition two_steps();

/// Makes one failed attempt of this step take its task to error.
void ask_a_person_at_once(workflow::step_definition& s);

workflow::submission submission_of(const workflow::definition& d, std::string id = "t1");

} // namespace steadfast::tests
