#pragma once

#include "simulation/services/declared_services.hpp"
#include "simulation/world/evidence.hpp"
#include "simulation/world/figures.hpp"
#include "simulation/world/medium.hpp"
#include "simulation/world/rows_reached.hpp"
#include "simulation/world/script.hpp"
#include "workflow/definition/definition.hpp"
#include "workflow/task/task.hpp"
#include "workflow/time/time.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace steadfast::simulation {

/// One run of a simulated cluster. Whatever is not given here is drawn from the seed.
struct run_options {
  std::uint64_t seed = 1;
  workflow::span faults_for{std::chrono::minutes{10}}; ///< then all is healed
  workflow::span heal_max{std::chrono::hours{6}};      ///< by when every task must have ended
  std::uint32_t tasks_max = 20;
  std::vector<workflow::definition> workflows;
  std::optional<declared_services> services;             ///< none: drawn too, and healthy after the faults
  workflow::span wall_error_max{std::chrono::hours{10}}; ///< of the wall clocks of processes when they start
  bool is_calm = false;                                  ///< only the services have faults
  bool with_crowds = true;                               ///< one run of a thousand has 10,000 tasks at once
  std::uint32_t partitions = 0; ///< of the store; 0: one, or now and then several where it moves
  bool with_people = true;  ///< they act on tasks, operate nodes, let tasks leave; and what holds at rest is checked
  medium_maker make_medium; ///< below the store; empty: the machine's own disk
  /// Faults that come: names of injected faults, "wire", "disk", "medium", "clocks", "services", "poison"; empty: all.
  std::set<std::string> only;
  std::set<std::size_t> skipped; ///< injected faults that do not come, by their number in run_result::injected_faults
  bool keep_evidence = false;
  script* record = nullptr;     ///< the events of the run are recorded there
  const script* play = nullptr; ///< its events are replayed instead of drawn ones; `workflows` are its own
  std::filesystem::path folder; ///< for the files of the store; made, and removed at the end
  /// Told of every step in words; may be empty.
  std::function<void(std::chrono::nanoseconds now, const std::string& what)> on_step;
};

struct run_result {
  std::vector<std::string> violations;      ///< of the promises, a sentence each; empty: all were kept
  std::vector<std::string> stories;         ///< of the tasks in them, as `task show --json` prints them
  std::vector<std::string> injected_faults; ///< that were drawn, a line each; empty: it was left out
  std::uint64_t trace_hash = 0;             ///< the same for the same seed and the same program
  std::uint64_t steps = 0;
  workflow::span simulated{0};
  std::uint64_t tasks = 0; ///< acknowledged
  std::uint64_t processed = 0;
  std::uint64_t undone = 0;
  std::uint64_t in_error = 0;
  std::uint64_t residue = 0; ///< undone tasks with an effect in place
  std::uint64_t doubled = 0; ///< processed tasks with a step that is in place more than once
  std::uint64_t missing = 0; ///< processed tasks with a completed step that is not in place
  std::uint64_t kills = 0;
  rows_reached rows;
  std::uint64_t calls = 0; ///< of remote services
  /// Of each task, by how it ended: true time, whatever the clocks say, from when it was stored.
  std::map<workflow::process_state, durations> took;
  std::optional<evidence> kept; ///< with keep_evidence; not when a promise was broken before the end
  figures_by_step by_step;
  figures_by_cause undo_for;  ///< why undo ran, even if it failed
  figures_by_cause error_for; ///< why a person is asked; with stories
};

/// Adds the figures, not the violations, the evidence and the hash.
void add(run_result& to, const run_result& more);

/// Two phases: faults, then everything is healed and every task must end (safety, then liveness). Throws
/// store::store_error when the folder cannot be used.
run_result run(const run_options& options);

} // namespace steadfast::simulation
