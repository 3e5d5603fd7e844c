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

/// The next state, and what is to be stored with it. All of it outlives the change.
struct next_state {
  const workflow::task& task;
  const std::vector<workflow::notice>& notices;
  const std::vector<workflow::alert>& alerts;
  bool payload_changed = false;
};

/// What the change depends on in addition to the outline.
struct also_read {
  workflow::blob payload;          ///< the stored one; read where needs_payload
  std::vector<alert_entry> alerts; ///< alerts of the task that are part of an incident; read where needs_alerts
};
bool needs_payload(const task_outline& there, const next_state& next);
bool needs_alerts(const task_outline& there);

/// A result that becomes large, or that was large.
struct result_change {
  large_result is;        ///< by which its record is verified
  bool was_there = false; ///< there was a record of it, which is removed
  bool is_large = true;   ///< false: from now on it is part of the state
};

/// An alert of the task that no longer holds: it leaves its incident.
struct alert_over {
  std::uint64_t number = 0;
  workflow::instant at;
  acknowledged_alert how;
};

struct task_change {
  std::uint64_t revision = 0;
  index_position from; ///< its texts point into the outline and the next state
  index_position to;
  std::optional<workflow::ending> ending{}; ///< how it ended by this change
  bool has_ended = false;                   ///< by this change
  bool frees_schedule = false;              ///< a schedule may be waiting for its end
  std::vector<result_change> results;
  bool payload_changed = false;
  std::vector<workflow::payload_value> index_before; ///< values of the payload by which it is no longer found
  std::vector<workflow::payload_value> index_after;  ///< values by which it is found from now on
  bool has_observer = false;                         ///< there is somebody to get the notices
  std::vector<alert_over> over;
  std::vector<raised_alert> raised; ///< to be raised after those in `over` have left
};

/// Computes the change from the outline, and from what was read with it, to the next state. `into` is overwritten: one
/// that is reused allocates no memory.
void change_of(const task_outline& there, const also_read& known, const next_state& next, task_change& into);

/// Whether the write tells of the task besides the one that it names itself, because it has ended. `named`: that one;
/// 0: it names none.
bool is_news_besides(const task_change& c, std::uint64_t number, std::uint64_t named);

/// What becomes of the large results that were stored, `before`. Steps that are the same in `earlier` were already
/// looked at when they became so; empty: none was. `into` is overwritten.
void results_of(const workflow::task& t, const workflow::step_list& earlier, const std::vector<large_result>& before,
                std::vector<result_change>& into);

/// Makes the outline what it is after the change was stored.
void follow(task_outline& there, const workflow::task& next, const task_change& c);

} // namespace steadfast::store
