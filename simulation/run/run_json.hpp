#pragma once

#include "simulation/run/run.hpp"

#include <nlohmann/json_fwd.hpp>

namespace steadfast::simulation {

// The figures of runs on their way from one process to another: what add() adds.

nlohmann::json result_json(const run_result& r);
run_result result_of_json(const nlohmann::json& j);

} // namespace steadfast::simulation
