#pragma once

#include "store/outline/task_outline.hpp"
#include "store/verbs/decide_note.hpp"
#include "workflow/definition/payload_index.hpp"
#include "workflow/task/endings.hpp"

#include <cstdint>
#include <optional>
#include <vector>

// What is stored when a task takes its next state.

namespace steadfast::store {

/// The next state, and what is to be stored with it. It all outlives the change.
struct next_state {
  const workflow::task& task;
  const std::vector<workflow::notice>& notices;
  const std::vector<workflow::alert>& alerts;
  bool payload_changed = false;
};

/// What the change depends on in addition to the outline.
struct also_read {
  workflow::blob payload;          ///< the stored one; read where needs_payload
  std::vector<alert_entry> alerts; ///< of the task, that are part of an incident; read where needs_alerts
};
bool needs_payload(const task_outline& there, const next_state& next);
bool needs_alerts(const task_outline& there);

/// A result that becomes large, or was so.
struct result_change {
  large_result is;        ///< by which its record is believed
  bool was_there = false; ///< a record of it, which leaves
  bool is_large = true;   ///< false: from now on it is part of the state
};

/// An alert of the task that does not hold any more: it leaves its incident.
struct alert_over {
  std::uint64_t number = 0;
  workflow::instant at;
  acknowledged_alert how;
};

struct task_change {
  std::uint64_t revision = 0;
  index_position from; ///< its texts are those of the outline and of the next state
  index_position to;
  std::optional<workflow::ending> ending{}; ///< how it ended with this
  bool has_ended = false;                   ///< with this
  bool frees_schedule = false;              ///< a schedule may wait for its end
  std::vector<result_change> results;
  bool payload_changed = false;
  std::vector<workflow::payload_value> index_before; ///< values of the payload that are not to be found any more
  std::vector<workflow::payload_value> index_after;  ///< and those that are
  bool has_observer = false;                         ///< who is told of the notices
  std::vector<alert_over> over;
  std::vector<raised_alert> raised; ///< after those that are over have left
};

/// The outline, and what was read with it, become the next state. `into` is overwritten: one that is used
/// again takes no memory.
void change_of(const task_outline& there, const also_read& known, const next_state& next, task_change& into);

/// What becomes of the large results there were, `before`. Steps that `earlier` has alike were looked at when they
/// became so; empty: none was. `into` is overwritten.
void results_of(const workflow::task& t, const workflow::step_list& earlier, const std::vector<large_result>& before,
                std::vector<result_change>& into);

/// What the outline is once the change was put.
void follow(task_outline& there, const workflow::task& next, const task_change& c);

} // namespace steadfast::store
