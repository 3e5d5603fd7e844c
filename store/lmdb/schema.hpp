#pragma once

#include "store/lmdb/lmdb.hpp"
#include "store/outline/index_position.hpp"
#include "store/records/key.hpp"
#include "store/records/stored.hpp"
#include "store/verbs/tasks/waiting_line.hpp"
#include "workflow/definition/payload_index.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace steadfast::store {

/// Stored. Which tables there are, how their keys are made, and which bodies tasks may have. Raised with a step in
/// migration.cpp.
inline constexpr std::uint32_t store_format = 13;

/// The tables. "-> nothing": all is in the key. A record is a frame (frame.hpp); numbers in keys are big-endian. Of a
/// task that waits in a group of a limit, `ready` has that before the number, and `delayed` that and at_a_time u32.
struct tables {
  lmdb::table meta;            ///< by name: the format, counters and others (docs/storage-format.md)
  lmdb::table definitions;     ///< name, 0, version u32 -> workflow::definition
  lmdb::table ids;             ///< the client's id -> task_ref; but for those in recent_ids
  lmdb::table recent_ids;      ///< number -> recent_id; some of them are in ids already
  lmdb::table tasks;           ///< number -> task_state
  lmdb::table payloads;        ///< number -> payload_record; none for an empty payload
  lmdb::table results;         ///< number, step u32 -> result_record; only those above result_inline_max
  lmdb::table states;          ///< process_state u8, number -> nothing; every task
  lmdb::table deadlines;       ///< next_due, number -> nothing; unless it is `never`
  lmdb::table ready;           ///< priority u8, workflow_tag u32, number -> nothing; claimable now
  lmdb::table delayed;         ///< not_before, priority u8, workflow_tag u32, number -> nothing; claimable later
  lmdb::table locked;          ///< length u16, scheduler, number -> nothing
  lmdb::table leases;          ///< name -> lease
  lmdb::table alerts;          ///< number -> alert_entry
  lmdb::table open_alerts;     ///< number of an alert nobody acknowledged -> nothing
  lmdb::table notices;         ///< length u16, observer, number, sequence u32 -> notice_record
  lmdb::table late;            ///< number, ascending u32 -> late_reply_record; at most late_replies_max per task
  lmdb::table set_aside;       ///< number -> set_aside_record
  lmdb::table ended;           ///< length u16, workflow, ended_at, number -> nothing; tasks that ended well
  lmdb::table ended_counts;    ///< workflow -> ended_count
  lmdb::table task_alerts;     ///< number, number of an alert of that task -> nothing
  lmdb::table incidents;       ///< number -> incident
  lmdb::table incident_keys;   ///< digest of a signature, number of an incident that has it -> nothing
  lmdb::table incident_alerts; ///< number of an incident, number of an alert of it that holds -> nothing
  lmdb::table alert_incidents; ///< the same, the other way round
  lmdb::table payload_index;   ///< length u16, place, length u16, value, number -> nothing
  lmdb::table endings;         ///< workflow -> endings
  lmdb::table bulk_acts;       ///< number -> workflow::bulk_act
  lmdb::table bulk_refusals;   ///< number of a bulk act, number of a task -> workflow::bulk_refusal
  lmdb::table events;          ///< length u16, name, length u16, key, number -> event_record
  lmdb::table event_waits;     ///< the same, step u32, number of a task -> nothing; steps that wait for an event
  lmdb::table event_ends;      ///< expires_at, key of an event in `events` -> nothing
  lmdb::table event_rests;     ///< number of an event -> event_rest
  lmdb::table schedules;       ///< name -> workflow::schedule_state
  lmdb::table schedule_times;  ///< next_at, name -> nothing; unless it is `never`
  lmdb::table
    child_notes; ///< number, step u32, child_duty u8, item u32 -> nothing; what parent or child has yet to be told
  lmdb::table item_groups; ///< number, step u32 -> workflow::fan_out; of steps that go over items
  lmdb::table items;       ///< number, step u32, item u32 -> item_record; of those that count in their group
  lmdb::table limit_waits; ///< group u64, priority u8, number, workflow_tag u32, at_a_time u32 -> nothing; has no place
  lmdb::table limit_places; ///< group u64, number -> nothing; under way. As long in `ready` with the other three, too
  lmdb::table
    limit_holds;          ///< until, group u64, number -> nothing; ended, and keeps its place in limit_places till then
  lmdb::table event_ids;  ///< length u16, name, length u16, id -> event_place_record; of events with an id
  lmdb::table task_steps; ///< number, first step u32 -> task_steps; of tasks with more than a stretch of steps
};

inline constexpr std::uint32_t incidents_since = 6;
inline constexpr std::uint32_t payload_index_since = 7;
inline constexpr std::uint32_t bulk_acts_since = 7;
inline constexpr std::uint32_t task_steps_since = 8;
inline constexpr std::uint32_t events_since = 11;
inline constexpr std::uint32_t schedules_since = 12;
inline constexpr std::uint32_t children_since = 12;
inline constexpr std::uint32_t limits_since = 12;
inline constexpr std::uint32_t event_ids_since = 13;
inline constexpr std::uint32_t limit_holds_since = 13;

struct table_entry {
  const char* name;
  lmdb::table tables::*table;
  std::uint32_t since = 1; ///< a store of an older format has it not yet
};
/// Every table with the name it has on disk. The journal names a table by its place here: a new one goes to the end.
inline constexpr std::array<table_entry, 43> all_tables{{
  {"meta", &tables::meta},
  {"definitions", &tables::definitions},
  {"ids", &tables::ids},
  {"recent_ids", &tables::recent_ids},
  {"tasks", &tables::tasks},
  {"payloads", &tables::payloads},
  {"results", &tables::results},
  {"states", &tables::states},
  {"deadlines", &tables::deadlines},
  {"ready", &tables::ready},
  {"delayed", &tables::delayed},
  {"locked", &tables::locked},
  {"leases", &tables::leases},
  {"alerts", &tables::alerts},
  {"open_alerts", &tables::open_alerts},
  {"notices", &tables::notices},
  {"late", &tables::late},
  {"set_aside", &tables::set_aside},
  {"ended", &tables::ended},
  {"ended_counts", &tables::ended_counts},
  {"task_alerts", &tables::task_alerts},
  {"incidents", &tables::incidents, incidents_since},
  {"incident_keys", &tables::incident_keys, incidents_since},
  {"incident_alerts", &tables::incident_alerts, incidents_since},
  {"alert_incidents", &tables::alert_incidents, incidents_since},
  {"payload_index", &tables::payload_index, payload_index_since},
  {"endings", &tables::endings, 7},
  {"bulk_acts", &tables::bulk_acts, bulk_acts_since},
  {"bulk_refusals", &tables::bulk_refusals, bulk_acts_since},
  {"task_steps", &tables::task_steps, task_steps_since},
  {"events", &tables::events, events_since},
  {"event_waits", &tables::event_waits, events_since},
  {"event_ends", &tables::event_ends, events_since},
  {"event_rests", &tables::event_rests, events_since},
  {"schedules", &tables::schedules, schedules_since},
  {"schedule_times", &tables::schedule_times, schedules_since},
  {"child_notes", &tables::child_notes, children_since},
  {"item_groups", &tables::item_groups, children_since},
  {"items", &tables::items, children_since},
  {"limit_waits", &tables::limit_waits, limits_since},
  {"limit_places", &tables::limit_places, limits_since},
  {"event_ids", &tables::event_ids, event_ids_since},
  {"limit_holds", &tables::limit_holds, limit_holds_since},
}};

/// Rows of a task's steps, by the first step of each, that are not in the table yet.
using held_steps = std::map<std::uint32_t, written_steps>;

inline constexpr std::string_view format_key = "format";
inline constexpr std::string_view counters_key = "counters";
inline constexpr std::string_view last_event_key = "last_event";
inline constexpr std::string_view partition_key = "partition";
inline constexpr std::string_view journal_key = "journal";
inline constexpr std::string_view forgotten_lease_key = "forgotten_lease"; ///< the one with the highest epoch

/// The beginning of the keys that belong to a scheduler, an observer or a workflow.
inline key owner_key(std::string_view owner) {
  return key{static_cast<std::uint16_t>(owner.size()), owner};
}
inline key definition_key(std::string_view name, std::uint32_t version) {
  return key{name, std::uint8_t{0}, version};
}
inline key locked_key(std::string_view scheduler, std::uint64_t number) {
  return key{owner_key(scheduler).view(), number};
}
inline key notice_key(std::string_view observer, std::uint64_t number, std::uint32_t sequence) {
  return key{owner_key(observer).view(), number, sequence};
}

inline key ready_key(std::uint8_t priority, std::string_view workflow, std::uint64_t number) {
  return key{priority, workflow_tag(workflow), number};
}
inline key delayed_key(workflow::instant not_before, std::uint8_t priority, std::string_view workflow,
                       std::uint64_t number) {
  return key{not_before, priority, workflow_tag(workflow), number};
}

/// Of one that waits in that group.
inline key delayed_key(workflow::instant not_before, std::uint8_t priority, std::string_view workflow,
                       const limit_group& g, std::uint64_t number) {
  return key{not_before, priority, workflow_tag(workflow), g.number, g.at_a_time, number};
}

inline key ended_key(std::string_view workflow, workflow::instant ended_at, std::uint64_t number) {
  return key{owner_key(workflow).view(), ended_at, number};
}

/// The beginning of the keys of all tasks with that value.
inline key payload_value_key(const workflow::payload_value& x) {
  return key{owner_key(x.place).view(), owner_key(x.value).view()};
}
inline key payload_index_key(const workflow::payload_value& x, std::uint64_t number) {
  return key{payload_value_key(x).view(), number};
}

/// The beginning of the keys of all events of that name and key, and of the steps that wait for one.
inline key event_place(std::string_view name, std::string_view event_key) {
  return key{owner_key(name).view(), owner_key(event_key).view()};
}
/// REQUIRES: a key of table `ended`.
inline std::string_view workflow_of(std::string_view ended) {
  key_reader k{ended};
  const std::size_t size = k.number<std::uint16_t>().value_or(0);
  return k.rest().substr(0, size);
}

/// Every index key ends with the number of its task.
inline std::uint64_t last_number(std::string_view index_key) {
  constexpr std::size_t size = sizeof(std::uint64_t);
  return index_key.size() < size ? 0 : *key_reader{index_key.substr(index_key.size() - size)}.number<std::uint64_t>();
}

} // namespace steadfast::store
