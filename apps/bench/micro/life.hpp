#pragma once

#include "workflow/transition/transition.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace bench {

/// Sequential steps with compensations, as `steadfast bench` uses them.
steadfast::workflow::definition some_steps(std::size_t count);
steadfast::workflow::definition five_steps();
steadfast::workflow::submission submission_of(std::uint64_t number);

/// Everything that happens to a task that goes well: one event for each state it is stored in.
std::vector<steadfast::workflow::event> events_of_a_life(std::size_t steps = 5);

/// The task after each event; the first is the new one.
std::vector<steadfast::workflow::task> states_of_a_life(const steadfast::workflow::definition& d, std::uint64_t number);

inline constexpr steadfast::workflow::instant some_day{steadfast::workflow::span{1'800'000'000'000}};

} // namespace bench
