#pragma once

#include "workflow/definition/definition.hpp"
#include "workflow/task/clock_reading.hpp"
#include "workflow/task/task.hpp"
#include "workflow/transition/command.hpp"
#include "workflow/transition/event.hpp"

#include <optional>
#include <string>
#include <vector>

namespace steadfast::workflow {

enum class event_status : std::uint8_t {
  applied, ///< `next` differs from the task, and must be stored before anything is said
  ignored, ///< normal and without effect: it was so already, or its time has not come
  refused, ///< it may have no effect now; `reason` says why
};
std::string_view to_string(event_status v);

/// What an event makes of a task. Unless it is applied, `next` equals the task and there are no commands.
struct change {
  event_status result = event_status::ignored;
  std::string reason; ///< for ignored and refused
  task next;
  std::vector<notice> notices;        ///< to be committed with `next`
  std::vector<alert> alerts;          ///< to be committed with `next`
  std::optional<late_reply> evidence; ///< an agent's word that did not count, to be kept
  std::vector<command> commands;      ///< to be carried out once `next` is durable
  bool is_too_early = false;          ///< refused, and may be applied soon
};

/// The transition function: no clock, no input or output, no randomness. The whole table is in docs/state-machine.md.
/// `starts_nothing`: the task's scheduler is about to stop, so it gives the lock back as soon as no attempt is open.
/// REQUIRES: d is the task's own version and problems(d).empty().
change apply(const task& t, const definition& d, const event& e, const clock_reading& clock,
             bool starts_nothing = false);

/// The commands that follow from the stored task: a scheduler carries them out after a restart or after taking it.
/// Those of any applied change are among them, except let_go and the stop_attempt of a task that went to error.
std::vector<command> outstanding(const task& t);

} // namespace steadfast::workflow
