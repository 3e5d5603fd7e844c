#pragma once

#include "workflow/definition/definition.hpp"
#include "workflow/task/task.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

// What the parts of a run would have logged, for a checker that shares nothing with them (docs/checker.md).

namespace steadfast::simulation {

/// The outcome of a call that arrived at a service.
enum class effect_result : std::uint8_t {
  created,         ///< the effect took place now
  repeated,        ///< it had taken place
  refused,         ///< for good; nothing took place
  undone,          ///< the effect was reversed now
  undo_of_nothing, ///< there was nothing to reverse; it will not take place any more
  undo_repeated,
  failed, ///< for now, or never answered; nothing took place
  probe_yes,
  probe_no,
};

/// A line of the effect log of all services, which is in the order in which they acted.
struct effect_line {
  std::string task;
  std::string step;
  std::string key;
  std::string reverses; ///< with undo and probe: the key of the do
  workflow::attempt_action action = workflow::attempt_action::perform;
  effect_result result = effect_result::failed;
  std::uint32_t attempt = 0;
  std::uint64_t epoch = 0;
  std::chrono::nanoseconds at{0}; ///< true time
};

/// One submission of a task. Questions and answers of all clients are numbered together, in the order in which they
/// happened.
struct submission_call {
  std::size_t asked = 0;
  std::size_t answered = 0; ///< 0: nobody knows whether it took place
  bool is_created = false;  ///< false: it was told that the task was there
};

/// What the clients that submitted a task know.
struct client_lines {
  std::string task;
  bool is_acknowledged = false;
  std::vector<workflow::process_state> outcomes; ///< in the order in which it was told
  std::vector<submission_call> submissions;
};

struct stored_task {
  workflow::task task;
  workflow::definition definition;
  bool has_alert = false;
};

struct evidence {
  std::vector<effect_line> effects;
  std::vector<client_lines> clients;
  std::vector<stored_task> tasks; ///< at the end
};

} // namespace steadfast::simulation
