#include "simulation/run/run_json.hpp"

#include <nlohmann/json.hpp>

namespace steadfast::simulation {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(step_figures, begun, calls, calls_max, answered, failed_for_now, failed_for_good,
                                   undone, undo_failed, stayed, doubled, missing, left)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(cause_figures, tasks, story, story_attempts, story_seed)

namespace {

nlohmann::json durations_json(const durations& d) {
  auto j = nlohmann::json::array();
  for (const auto& [length, times] : d.all())
    j.push_back({length.count(), times});
  return j;
}

durations durations_of(const nlohmann::json& j) {
  durations d;
  for (const auto& x : j)
    d.add(workflow::span{x.at(0).get<workflow::span::rep>()}, x.at(1));
  return d;
}

} // namespace

nlohmann::json result_json(const run_result& r) {
  auto took = nlohmann::json::array();
  for (const auto& [state, lengths] : r.took)
    took.push_back({static_cast<int>(state), durations_json(lengths)});
  return {r.steps, r.simulated.count(), r.tasks,    r.processed, r.undone,  r.in_error, r.kills,  r.calls, r.rows,
          took,    r.by_step,           r.undo_for, r.error_for, r.residue, r.doubled,  r.missing};
}

run_result result_of_json(const nlohmann::json& j) {
  run_result r;
  r.steps = j.at(0);
  r.simulated = workflow::span{j.at(1).get<workflow::span::rep>()};
  r.tasks = j.at(2);
  r.processed = j.at(3);
  r.undone = j.at(4);
  r.in_error = j.at(5);
  r.kills = j.at(6);
  r.calls = j.at(7);
  r.rows = j.at(8).get<rows_reached>();
  for (const auto& x : j.at(9))
    r.took[static_cast<workflow::process_state>(x.at(0).get<int>())] = durations_of(x.at(1));
  r.by_step = j.at(10).get<figures_by_step>();
  r.undo_for = j.at(11).get<figures_by_cause>();
  r.error_for = j.at(12).get<figures_by_cause>();
  r.residue = j.at(13);
  r.doubled = j.at(14);
  r.missing = j.at(15);
  return r;
}

} // namespace steadfast::simulation
