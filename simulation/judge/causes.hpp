#pragma once

#include "workflow/definition/definition.hpp"
#include "workflow/task/task.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace steadfast::simulation {

// Why tasks ended as they did, so that tasks which ended for the same reason are counted together.

/// Numbers outside of names become "N".
std::string without_numbers(std::string_view cause);

/// Of a task that was undone, or whose undo went as far as it could.
bool has_run_undo(const workflow::task& t);

/// What a person is told. REQUIRES: it is in error.
std::string why_in_error(const workflow::task& t, const workflow::definition& d);

/// Of all its steps.
std::uint64_t attempts_of(const workflow::task& t);

} // namespace steadfast::simulation
