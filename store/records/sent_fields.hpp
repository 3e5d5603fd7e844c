#pragma once

// The order of the fields of what processes send each other and never store, for Boost.Serialization. Included by
// record.cpp only.
//
// Processes of one protocol version agree on it: another order is another protocol.

#include "store/contract/sent_outcome.hpp"
#include "store/contract/sent_update.hpp"
#include "store/records/fields.hpp"
#include "workflow/task/explain.hpp"
#include "workflow/transition/event.hpp"

namespace steadfast::workflow {

template <class Archive>
void serialize(Archive& ar, submission& x, unsigned) {
  if constexpr (store::is_compact_archive<Archive>)
    all(ar, x.id, x.workflow, x.version, x.payload, x.content_type, x.priority, x.not_before, x.reply_to, x.trace,
        x.conflict, x.debounce);
  else
    all(ar, x.id, x.workflow, x.version, x.payload, x.content_type, x.priority, x.not_before, x.reply_to);
}

template <class Archive>
void serialize(Archive& ar, attempt_ref& x, unsigned) {
  all(ar, x.step, x.attempt, x.epoch);
}

template <class Archive>
void serialize(Archive& ar, explanation& x, unsigned) {
  all(ar, x.text, x.at);
}

template <class Archive>
void serialize(Archive& ar, retention& x, unsigned) {
  all(ar, x.keep_for, x.keep_at_most);
}

template <class Archive>
void serialize(Archive& ar, system_condition& x, unsigned) {
  all(ar, x.what, x.text);
}

} // namespace steadfast::workflow

namespace steadfast::store {

template <class Archive>
void serialize(Archive& ar, act_on_incident& x, unsigned) {
  all(ar, x.number, x.act, x.until, x.who, x.why, x.max, x.now);
}

template <class Archive>
void serialize(Archive& ar, report_conditions& x, unsigned) {
  all(ar, x.hold, x.guard, x.now.now);
}

template <class Archive>
void serialize(Archive& ar, start_bulk& x, unsigned) {
  all(ar, x.what, x.now, x.is_question);
}

template <class Archive>
void serialize(Archive& ar, advance_bulk& x, unsigned) {
  all(ar, x.number, x.position, x.is_last, x.refused, x.skipped, x.now);
}

template <class Archive>
void serialize(Archive& ar, stop_bulk& x, unsigned) {
  all(ar, x.number, x.who, x.why, x.now);
}

template <class Archive>
void serialize(Archive& ar, send_event& x, unsigned) {
  all(ar, x.name, x.key, x.task_id, x.data, x.who, x.keep_for, x.now, x.id, x.is_question, x.is_elsewhere, x.sent_at);
}

template <class Archive>
void serialize(Archive& ar, put_schedule& x, unsigned) {
  all(ar, x.what, x.file, x.now.now, x.is_question);
}

template <class Archive>
void serialize(Archive& ar, act_on_schedule& x, unsigned) {
  all(ar, x.name, x.act, x.who, x.why, x.now.now);
}

template <class Archive>
void serialize(Archive& ar, fire_schedules& x, unsigned) {
  all(ar, x.max, x.guard, x.now.now);
}

template <class Archive>
void serialize(Archive& ar, bulk_page& x, unsigned) {
  all(ar, x.acts, x.next, x.refusals);
}

template <class Archive>
void serialize(Archive& ar, kept_event& x, unsigned) {
  all(ar, x.number, x.name, x.key, x.task, x.id, x.who, x.at, x.expires_at, x.data_size);
}

template <class Archive>
void serialize(Archive& ar, event_page& x, unsigned) {
  all(ar, x.events, x.next);
}

template <class Archive>
void serialize(Archive& ar, incident_page& x, unsigned) {
  all(ar, x.incidents, x.next);
}

template <class Archive>
void serialize(Archive& ar, alert_filter& x, unsigned) {
  all(ar, x.open_only, x.incident, x.kind, x.step, x.task, x.text, x.raised_before, x.raised_after);
}

template <class Archive>
void serialize(Archive& ar, alert_list& x, unsigned) {
  all(ar, x.alerts, x.next);
}

template <class Archive>
void serialize(Archive& ar, lease_guard& x, unsigned) {
  all(ar, x.name, x.epoch);
}

template <class Archive>
void serialize(Archive& ar, submit_task& x, unsigned) {
  all(ar, x.what, x.now);
}

template <class Archive>
void serialize(Archive& ar, sent_steps& x, unsigned) {
  all(ar, x.first, x.steps);
}

template <class Archive>
void update_fields(Archive& ar, update_task& x) {
  all(ar, x.next, x.lock_epoch_before, x.guard, x.notices, x.alerts, x.evidence, x.payload_changed, x.bulk,
      x.steps_in_all, x.changed);
}

template <class Archive>
void serialize(Archive& ar, update_task& x, unsigned) {
  if constexpr (Archive::is_saving::value)
    if (is_sent_in_part(x)) {
      auto part = in_part(x);
      return update_fields(ar, part);
    }
  update_fields(ar, x);
}

template <class Archive>
void serialize(Archive& ar, workflow_load& x, unsigned) {
  all(ar, x.workflow, x.load);
}

template <class Archive>
void serialize(Archive& ar, claim_tasks& x, unsigned) {
  all(ar, x.scheduler, x.max, x.now.now, x.guard, x.places, x.in_flight, x.loads, x.after);
}

template <class Archive>
void serialize(Archive& ar, free_locks& x, unsigned) {
  all(ar, x.scheduler, x.max, x.graceful, x.now.now, x.except, x.guard, x.gone);
}

template <class Archive>
void serialize(Archive& ar, keep_late_reply& x, unsigned) {
  all(ar, x.number, x.what);
}

template <class Archive>
void serialize(Archive& ar, register_definition& x, unsigned) {
  all(ar, x.what, x.file, x.now.now);
}

template <class Archive>
void serialize(Archive& ar, acquire_lease& x, unsigned) {
  all(ar, x.name, x.holder, x.note, x.ttl, x.now.now);
}

template <class Archive>
void serialize(Archive& ar, renew_lease& x, unsigned) {
  all(ar, x.name, x.holder, x.epoch, x.ttl, x.now.now, x.note);
}

template <class Archive>
void serialize(Archive& ar, release_lease& x, unsigned) {
  all(ar, x.name, x.holder, x.epoch);
}

template <class Archive>
void serialize(Archive& ar, acknowledge_alert& x, unsigned) {
  all(ar, x.alert, x.who, x.now);
}

template <class Archive>
void serialize(Archive& ar, record_act& x, unsigned) {
  all(ar, x.who, x.what, x.why, x.now);
}

template <class Archive>
void serialize(Archive& ar, import_task& x, unsigned) {
  all(ar, x.what, x.who, x.why, x.now);
}

template <class Archive>
void serialize(Archive& ar, acknowledge_notices& x, unsigned) {
  all(ar, x.observer, x.number, x.sequence);
}

template <class Archive>
void serialize(Archive& ar, set_aside_damaged& x, unsigned) {
  all(ar, x.number, x.why, x.now);
}

template <class Archive>
void serialize(Archive& ar, ended_position& x, unsigned) {
  all(ar, x.ended_at, x.number, x.passed);
}

template <class Archive>
void serialize(Archive& ar, purge_ended& x, unsigned) {
  all(ar, x.workflow, x.keep, x.max, x.after, x.now);
}

/// One list for all kinds of writes. Whoever reads it knows which it was, and with that what of it is meant.
template <class Archive>
void serialize(Archive& ar, outcome& x, unsigned) {
  auto f = fields_of(x);
  auto& tasks = Archive::is_saving::value ? const_cast<std::vector<workflow::task>&>(tasks_of(x)) : f.tasks;
  all(ar, x.result, x.why, f.created, f.number, f.revision, f.state, tasks, f.next, f.more, f.reached);
  if constexpr (!Archive::is_saving::value)
    x = outcome_of(x, std::move(f));
}

template <class Archive>
void serialize(Archive& ar, task_page& x, unsigned) {
  all(ar, x.tasks, x.next, x.next_key);
}

template <class Archive>
void serialize(Archive& ar, state_store::due_page& x, unsigned) {
  all(ar, x.tasks, x.next);
}

template <class Archive>
void serialize(Archive& ar, notice_entry& x, unsigned) {
  all(ar, x.observer, x.task_number, x.task_id, x.what);
}

template <class Archive>
void serialize(Archive& ar, late_reply_entry& x, unsigned) {
  all(ar, x.task_number, x.task_id, x.what);
}

template <class Archive>
void serialize(Archive& ar, store_stats& x, unsigned) {
  all(ar, x.tasks, x.claimable, x.open_alerts, x.bytes_used, x.bytes_mapped, x.bytes_max, x.last_number, x.tasks_purged,
      x.bytes_reserve, x.disk_free, x.disk_size, x.endings);
}

template <class Archive>
void serialize(Archive& ar, check_report& x, unsigned) {
  all(ar, x.records, x.tasks, x.faults);
}

} // namespace steadfast::store
