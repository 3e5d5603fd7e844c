#pragma once

#include "workflow/definition/definition.hpp"
#include "workflow/definition/wait_end.hpp"
#include "workflow/step/rare_value.hpp"
#include "workflow/step/step_list.hpp"
#include "workflow/text/blob.hpp"
#include "workflow/time/time.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace steadfast::workflow {

/// Stored. A number is never changed and never used again.
enum class process_state : std::uint8_t {
  pending = 1,    ///< forward work to do, no scheduler has it
  processing = 2, ///< forward, locked by a scheduler
  processed = 3,  ///< all of it happened
  undoing = 4,    ///< what happened is being reversed; locked, or waiting for a scheduler
  undone = 5,     ///< what happened is reversed
  error = 6,      ///< a person is needed
  suspended = 7,  ///< by a person; resumes where it was
};

/// Neither processed nor undone.
inline bool is_unfinished(process_state s) {
  return s != process_state::processed && s != process_state::undone;
}
std::string_view to_string(process_state s);
std::optional<process_state> parse_process_state(std::string_view text);

/// What a person did to the task.
struct act {
  instant at;
  std::string who;
  std::string what;
  std::string why;

  friend bool operator==(const act&, const act&) = default;
};

/// For a task that a step of another task started: the other task is its parent, and it is the step's child.
struct parent_link {
  std::string id;           ///< the parent's; empty: it has none
  std::uint64_t number = 0; ///< the parent's; 0: the task came from another store
  std::uint32_t step = 0;
  std::uint32_t depth = 0; ///< 1: its parent has no parent
  std::uint32_t room = 0;  ///< how many tasks it may start, directly or through others
  std::uint32_t item = 0;  ///< for a step over items: which item, from 1 on; 0: the step starts one task

  bool empty() const { return id.empty(); }
  friend bool operator==(const parent_link&, const parent_link&) = default;
};

/// Where a task stands with the limit of its workflow.
struct limit_place {
  std::string key;           ///< from its payload when it was submitted; empty: the workflow has no limit
  bool is_under_way = false; ///< a scheduler has taken it, and it has not ended well since: it counts
  instant begun_at{};        ///< when it was first taken, if its limit has a `per`

  bool empty() const { return key.empty(); }
  friend bool operator==(const limit_place&, const limit_place&) = default;
};

/// One submitted operation. A plain value: copies share the payload and the steps.
struct task {
  std::uint64_t number = 0; ///< the store's; ascending in order of submission
  std::string id;           ///< the client's
  std::string workflow;
  std::uint32_t version = 0;
  blob payload;
  std::string content_type;
  std::uint8_t priority = 5;
  process_state state = process_state::pending;
  process_state resume_state = process_state::pending; ///< while suspended: the state to which it returns
  std::string locked_by;                               ///< the scheduler; empty when none
  std::uint64_t lock_epoch = 0;                        ///< raised by each take
  std::uint64_t revision = 0;                          ///< raised by each stored change
  std::uint32_t generation = 1;                        ///< raised when a person reopens an ended task
  std::uint32_t failure_count = 0;                     ///< failures the supervisor counted
  std::uint32_t takeovers = 0;                         ///< schedulers lost since the last progress
  std::uint32_t notices = 0;                           ///< sequence number of the last notice to the observer
  instant submitted_at;
  instant complete_by;
  instant not_before;
  instant ended_at;
  std::string reply_to; ///< observer; empty when nobody asked
  std::string cause;    ///< why it is undone or in error
  step_list steps;
  std::vector<act> acts; ///< at most acts_max, the newest
  std::string trace;     ///< the `traceparent` of its submission; empty: there was none
  rare_value<parent_link> parent;
  rare_value<limit_place> limit;

  friend bool operator==(const task&, const task&) = default;
};

inline constexpr std::size_t acts_max = 64;
inline constexpr std::size_t told_cause_size_max = 1024; ///< for a cause that is put together from others
inline constexpr std::size_t task_id_size_max = 128;

/// How long one attempt may take, from its dispatch. REQUIRES: the step has that action.
span limit_of(const step_definition& s, attempt_action action);

/// What a submission does if its id exists already. Sent between processes; `same` is not sent.
enum class on_conflict : std::uint8_t {
  same = 0,    ///< it stands for that task if it says the same; otherwise it is refused
  refuse = 1,  ///< refused
  replace = 2, ///< replaces payload, priority and moment of a task that has not begun
};
/// A debounced task begins at the latest this many times its span after its first submission.
inline constexpr int debounces_max = 10;
inline constexpr span debounce_max = std::chrono::hours{24};

/// What a client asks for.
struct submission {
  std::string id; ///< 1 to 128 printable bytes; the same id is the same task
  std::string workflow;
  std::uint32_t version = 0; ///< 0: the newest
  blob payload;
  std::string content_type = "application/json";
  std::optional<std::uint8_t> priority;
  instant not_before;
  std::string reply_to;
  std::string trace{}; ///< W3C `traceparent`; does not count when submissions are compared
  workflow::on_conflict conflict = workflow::on_conflict::same;
  span debounce{0}; ///< with replace: it begins this long after the last submission; 0: at `not_before`

  friend bool operator==(const submission&, const submission&) = default;
};

/// What is wrong with the submission, apart from its workflow: one sentence each, naming the field and the limit.
std::vector<std::string> problems(const submission& s, std::size_t payload_size_max);

/// A pending task. REQUIRES: neither argument has problems.
task make_task(const submission& s, const definition& d, instant now);

/// The key by which the workflow's limit counts a task with that payload. REQUIRES: the workflow has a limit.
event_key limit_key_of(const definition& d, std::string_view payload);
/// Why a task with that payload has no such key; empty: it has one, or needs none.
std::string problem_of_limit_key(const definition& d, std::string_view payload);
/// Whether it begins only when enough others with its key have ended. An undo does not wait: it brings about an end.
inline bool waits_for_key(const task& t) {
  return !t.limit.empty() && !t.limit->is_under_way && t.state == process_state::pending;
}

/// Whether no scheduler has it, and one may take it now or at `not_before`.
bool is_claimable(const task& t);
bool has_ended(const task& t); ///< processed, undone or error
bool has_open_attempt(const task& t);
bool any_ends_later(const task& t); ///< whether workflow::ends_later is true of a step
bool is_undoing(const task& t);     ///< also while suspended in that state
bool is_forward(const task& t);     ///< pending or processing

/// The highest number of an event that was taken by a step of the task waiting for the same event as step `i`, that is
/// one of the same name and key; 0: none. REQUIRES: step `i` waits for an event.
std::uint64_t last_event_taken(const task& t, const definition& d, std::size_t i);

/// Whether a step that has not completed, or is not undone yet, had its last attempt at this agent.
bool is_at_agent(const task& t, std::string_view agent);

/// When forward work must end, so that the undo still has its reserve.
instant forward_ends_at(const task& t, const definition& d);
/// The cause of an undo that begins then.
inline constexpr const char* deadline_cause = "its deadline passed before the work was done";

/// Whether the task goes forward, and nothing before step `i` keeps it from starting, or from going on if it waits: the
/// step has not happened, and all before it have or were skipped.
bool is_startable(const task& t, const definition& d, std::size_t i);

/// Whether all steps before step `i` happened or were skipped; before a skipped one, the same must be true again.
bool all_before_have_passed(const task& t, const definition& d, std::size_t i);

/// The last failure of the step in words. If it was silence, also what the service said the last time that it
/// answered.
std::string failure_told(const step& s);

/// The key that every attempt of the step repeats: "task/step", "task/step#2" after a person asked for a new one, with
/// "/undo" or "/probe" appended. Stable, so that a remote service can recognise a repetition.
std::string idempotency_key(const task& t, const definition& d, std::size_t step, attempt_action action);

/// The id of the task that step `i` starts: the key of the step, or if that is too long its beginning and a digest.
/// `item`: for a step over items, as parent_link::item; the item's place in the array, from 0 on, is appended.
std::string child_id(const task& t, const definition& d, std::size_t i, std::uint32_t item = 0);

/// When the supervisor should look at the task if nobody else does anything; the deadline index has this order. `unset`
/// if it needs a review now, `never` if nothing is due.
instant next_due(const task& t, const definition& d);

} // namespace steadfast::workflow
