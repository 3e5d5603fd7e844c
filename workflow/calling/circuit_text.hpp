#pragma once

#include "workflow/calling/circuit.hpp"

#include <string>
#include <string_view>

// How an agent tells that its circuit is open, and how that is left out again: tasks that fail for one reason are one
// incident, whether or not the circuit was open by then.

namespace steadfast::workflow {

/// "circuit for `payment` open until 2026-11-21T20:31:41Z". `held_by`: the person who holds it open, if one does.
/// REQUIRES: it is open.
std::string circuit_text(std::string_view agent, const circuit& c, std::string_view held_by);

/// The same, and why the agent's last call failed.
std::string with_last_failure(std::string circuit, instant at, std::string_view why);

/// A cause without the circuit that is told before the failure, or after it and a semicolon. A circuit without any
/// failure stays.
std::string_view without_circuit(std::string_view cause);

} // namespace steadfast::workflow
