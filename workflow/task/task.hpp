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

/// Of a task that a step of another task started: that is its parent, and it is the step's child.
struct parent_link {
  std::string id;           ///< the parent's; empty: it has none
  std::uint64_t number = 0; ///< likewise; 0: it came from another store
  std::uint32_t step = 0;
  std::uint32_t depth = 0; ///< 1: its parent has no parent
  std::uint32_t room = 0;  ///< tasks that it may start, directly or through others
  std::uint32_t item = 0;  ///< of those that the step goes over, from 1 on; 0: the step starts one task

  bool empty() const { return id.empty(); }
  friend bool operator==(const parent_link&, const parent_link&) = default;
};

/// Where a task stands with the limit of its workflow.
struct limit_place {
  std::string key;           ///< that its payload had when it was submitted; empty: it has no limit
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
  process_state resume_state = process_state::pending; ///< while suspended: where it goes on
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
inline constexpr std::size_t told_cause_size_max = 1024; ///< of one that is put together from others
inline constexpr std::size_t task_id_size_max = 128;

/// How long one attempt may take, from its dispatch. REQUIRES: the step has that action.
span limit_of(const step_definition& s, attempt_action action);

/// What a submission does whose id there is already. Sent; nothing is said of the first.
enum class on_conflict : std::uint8_t {
  same = 0,    ///< it is that task if it says the same; else it is refused
  refuse = 1,  ///< refused
  replace = 2, ///< payload, priority and moment of a task that has not begun give way to its own
};
/// A debounced task begins so many times the span after its first submission at the latest.
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
  std::string trace{}; ///< W3C `traceparent`; not part of what makes a submission the same
  workflow::on_conflict conflict = workflow::on_conflict::same;
  span debounce{0}; ///< with replace: it begins so long after the last one that came; 0: at `not_before`

  friend bool operator==(const submission&, const submission&) = default;
};

/// What is wrong with it, apart from its workflow: one sentence each, naming the field and the limit.
std::vector<std::string> problems(const submission& s, std::size_t payload_size_max);

/// A pending task. REQUIRES: problems of both arguments are empty.
task make_task(const submission& s, const definition& d, instant now);

/// The key by which the workflow's limit counts a task with that payload. REQUIRES: the workflow has a limit.
event_key limit_key_of(const definition& d, std::string_view payload);
/// It begins when enough of the others with its key have ended. An undo does not wait: it makes an end.
inline bool waits_for_key(const task& t) {
  return !t.limit.empty() && !t.limit->is_under_way && t.state == process_state::pending;
}

/// No scheduler has it and one may take it, now or at `not_before`.
bool is_claimable(const task& t);
bool has_ended(const task& t); ///< processed, undone or error
bool has_open_attempt(const task& t);
bool any_ends_later(const task& t); ///< workflow::ends_later, of a step
bool is_undoing(const task& t);     ///< or suspended while it was
bool is_forward(const task& t);     ///< pending or processing

/// The highest number of an event that a step of the task has taken which waits for the same as step `i`, that is an
/// event of that name and key; 0: none has. REQUIRES: step `i` waits for an event.
std::uint64_t last_event_taken(const task& t, const definition& d, std::size_t i);

/// A step that has not completed, or not been undone yet, had its last attempt at this agent.
bool is_at_agent(const task& t, std::string_view agent);

/// Forward work ends here, so that undo still has its reserve.
instant forward_ends_at(const task& t, const definition& d);
/// The cause of an undo that began then.
inline constexpr const char* deadline_cause = "its deadline passed before the work was done";

/// Forward, and no step keeps step `i` from starting, or from going on if it waits: it has not happened, and all before
/// it have or were skipped.
bool is_startable(const task& t, const definition& d, std::size_t i);

/// They happened or were skipped, and so did and were all before those that were skipped.
bool all_before_have_passed(const task& t, const definition& d, std::size_t i);

/// The last failure of the step in words. Where that was silence, also what the service said the last time that it
/// spoke.
std::string failure_told(const step& s);

/// The key that every attempt of the step repeats: "task/step", "task/step#2" after a person asked for a new one, with
/// "/undo" or "/probe" appended. Stable, so that a remote service can recognise a repetition.
std::string idempotency_key(const task& t, const definition& d, std::size_t step, attempt_action action);

/// The id of the task that step `i` starts: the key of the step, or its beginning and a digest where that is too long.
/// `item`: of those that the step goes over, as parent_link::item: its place in the array, from 0 on, follows.
std::string child_id(const task& t, const definition& d, std::size_t i, std::uint32_t item = 0);

/// When the supervisor should look at the task if nobody else did anything: the deadline index is ordered by it.
/// `unset` when it needs a review now, `never` when nothing is due.
instant next_due(const task& t, const definition& d);

} // namespace steadfast::workflow
