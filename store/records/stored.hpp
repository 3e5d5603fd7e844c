#pragma once

#include "store/contract/state_store.hpp"
#include "workflow/children/fan_out.hpp"
#include "workflow/task/endings.hpp"
#include "workflow/task/partition.hpp"
#include "workflow/task/task.hpp"
#include "workflow/text/blob.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

/// Records that exist only on disk. Those that are also part of the contract are stored as they are: definition,
/// alert_entry. Field by field: docs/storage-format.md.
namespace steadfast::store {

struct format_record {
  std::uint32_t format = 0;
};

/// Of a store that is one of several partitions; another store has none.
struct partition_record {
  workflow::partition is;
};

/// Rewritten by each commit that changes one of them.
struct counters {
  std::uint64_t last_task = 0; ///< numbers are never used again
  std::uint64_t last_alert = 0;
  std::uint64_t last_epoch = 0;         ///< the highest of any lease
  std::array<std::uint64_t, 8> tasks{}; ///< by process_state

  friend bool operator==(const counters&, const counters&) = default;
};

/// Of one workflow. Rewritten by each commit that changes it.
struct ended_count {
  std::uint64_t there = 0;         ///< tasks that ended well: entries in table `ended`
  std::uint64_t purged = 0;        ///< tasks that were purged
  std::uint64_t alerts_purged = 0; ///< alerts that were purged with them

  friend bool operator==(const ended_count&, const ended_count&) = default;
};
using ended_counts = std::map<std::string, ended_count, std::less<>>; ///< by workflow
using endings_by_workflow = std::map<std::string, workflow::endings, std::less<>>;

/// From outside.
struct event_record {
  std::uint64_t number = 0; ///< ascending in the order in which they came; never used again
  std::string name;
  std::string key;
  std::string data; ///< a JSON text
  std::string who;
  workflow::instant at;
  workflow::instant expires_at;
  std::string id; ///< that its sender gave it, unique among those of the name that are kept; empty: none
};

/// Of an event with an id.
struct event_place_record {
  std::string key; ///< of the event in table events
};

struct last_event {
  std::uint64_t number = 0; ///< the highest of any event
};

/// Tasks that wait for an event have yet to take it: those whose rows in event_waits begin with `place` and come after
/// `after`.
struct event_rest {
  std::string place;
  std::string after;
};

/// An item of a step that goes over some.
struct item_record {
  workflow::item_state state = workflow::item_state::to_start;
  workflow::blob bytes; ///< of one to be started the payload of its task, of one that is done the result
};

/// What the data file says of its journal.
struct journal_used {
  std::uint64_t name = 0;
  bool is_open = false; ///< it may have commits that the data file has not
};

/// What the journal says of itself.
struct journal_head {
  std::uint64_t name = 0;
  std::uint64_t size = 0; ///< of the file
};

/// What a client's id stands for.
struct task_ref {
  std::uint64_t number = 0;
  std::array<std::uint64_t, 2> digest{}; ///< of what was submitted, so that another body is noticed
};

/// The same, as long as it is found by the number.
struct recent_id {
  std::string id;
  std::array<std::uint64_t, 2> digest{};
};

/// Results up to this size are part of the state record; larger ones are written once, in a record of their own.
inline constexpr std::size_t result_inline_max = 256;

struct large_result {
  std::uint32_t step = 0;
  std::uint64_t size = 0;
  std::uint64_t hash = 0;

  friend bool operator==(const large_result&, const large_result&) = default;
};

/// The steps of a task that has more than a stretch of them (workflow::step_list) have rows of their own: one for each
/// stretch to which something has happened.
struct step_rows {
  std::uint32_t steps = 0; ///< of the task; 0: it has no such rows, and its state has them all
  std::uint64_t check =
    0; ///< the checks of the frames of all rows, by exclusive or: none is missing, or of another time

  friend bool operator==(const step_rows&, const step_rows&) = default;
};

/// All of a task but its payload and its large results.
struct task_state {
  workflow::task task; ///< as it is stored: without steps where they have rows
  std::uint64_t payload_size = 0;
  std::vector<large_result> large; ///< by step
  step_rows rows;
};

/// Where the steps of a stretch lie in a record.
struct step_places {
  workflow::instant submitted_at; ///< the task's: the other moments of the record are told by their distance from it
  /// Step k is from ends[k] to ends[k + 1]. All 0: nothing is known.
  std::array<std::uint32_t, workflow::few_steps::size_max + 1> ends{};
};

/// A record of the same stretch that was written before: the next one takes over the bytes of what is unchanged.
struct steps_before {
  std::string_view row;
  const workflow::few_steps* steps = nullptr; ///< null: there is none
  const step_places* places = nullptr;
};

/// To store a task_state without copying the task: payload and large results are passed over.
struct task_state_view {
  const workflow::task* task = nullptr;
  std::uint64_t revision = 0; ///< takes the place of the task's own
  std::uint64_t payload_size = 0;
  const std::vector<large_result>* large = nullptr;
  step_rows rows{}; ///< where there are some, steps and large results are passed over too

  steps_before before{};         ///< of a task without rows
  step_places* places = nullptr; ///< filled in, if there is one
};

/// A stretch of a task's steps, without large results.
struct task_steps {
  workflow::instant submitted_at; ///< the task's: the other moments are told by their distance from it
  workflow::few_steps steps;
  std::vector<large_result> large; ///< by step
};

/// Such a record, and what it was made of.
struct written_steps {
  std::string row; ///< empty: there is none
  workflow::few_steps steps;
  step_places places;

  steps_before as_before() const { return {row, &steps, &places}; }
};

/// To store those from step `first` on without copying them.
struct task_steps_view {
  workflow::instant submitted_at;
  const workflow::step_list* all = nullptr;
  std::size_t first = 0;
  std::vector<large_result> large{};

  steps_before before{};         ///< the record in whose place it comes, if it is at hand
  step_places* places = nullptr; ///< filled in, if there is one
};

struct payload_record {
  workflow::blob bytes;
};
struct result_record {
  workflow::blob bytes;
};
struct notice_record {
  std::string task_id;
  workflow::notice what;
};
struct late_reply_record {
  std::string task_id;
  workflow::late_reply what;
};

struct lease_record {
  lease what;
  workflow::span ttl{}; ///< it was last acquired or renewed for
};

struct set_aside_record {
  std::string why;
  workflow::instant at;
  workflow::blob bytes; ///< the state record as it was found
};

} // namespace steadfast::store
