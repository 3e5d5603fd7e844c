#pragma once

// The stored order of every field, for Boost.Serialization. Included by record.cpp only. What is sent and never stored
// is in sent_fields.hpp.
//
// A field is only ever added at the end of its type together with a new body format (store/records/frame.hpp), and the
// reader of the older format stays. docs/storage-format.md lists the fields in words.

#include "store/records/compact.hpp"
#include "store/records/pieces.hpp"
#include "store/records/stored.hpp"

namespace steadfast::workflow {

using store::all;

template <class Archive>
void serialize(Archive& ar, fact& x, unsigned) {
  all(ar, x.pointer, x.json);
}

template <class Archive>
void serialize(Archive& ar, attempt_record& x, unsigned) {
  all(ar, x.number, x.action, x.outcome, x.epoch, x.started_at, x.ended_at, x.agent, x.note);
}

template <class Archive>
void serialize(Archive& ar, act& x, unsigned) {
  all(ar, x.at, x.who, x.what, x.why);
}

template <class Archive>
void serialize(Archive& ar, wait_state& x, unsigned) {
  all(ar, x.token, x.progress, x.event_key, x.event, x.calls);
}

template <class Archive>
void step_fields(Archive& ar, step& x, blob& result) {
  if constexpr (store::is_compact_archive<Archive>)
    all(ar, x.state, x.doing, x.attempt, x.tries, x.failure_count, x.cool_offs, x.key_generation, x.maybe_done,
        x.needs_review, x.probe_given_up, x.wait_alerted, x.complete_by, x.settles_at, x.not_before, x.waiting_since,
        x.completed_at, x.completed_order, result, x.facts, x.error, x.waiting_for, x.log, x.log_dropped, x.wait);
  else
    all(ar, x.state, x.doing, x.attempt, x.tries, x.failure_count, x.cool_offs, x.key_generation, x.maybe_done,
        x.needs_review, x.probe_given_up, x.wait_alerted, x.complete_by, x.settles_at, x.not_before, x.waiting_since,
        x.completed_at, x.completed_order, result, x.facts, x.error, x.waiting_for, x.log, x.log_dropped);
}

template <class Archive>
void serialize(Archive& ar, step& x, unsigned) {
  step_fields(ar, x, x.result);
}

template <class Archive>
void serialize(Archive& ar, parent_link& x, unsigned) {
  all(ar, x.id, x.number, x.step, x.depth, x.room, x.item);
}

template <class Archive>
void serialize(Archive& ar, limit_place& x, unsigned) {
  all(ar, x.key, x.is_under_way, x.begun_at);
}

template <class Archive>
void serialize(Archive& ar, limit_rule& x, unsigned) {
  all(ar, x.pointer, x.at_a_time, x.per);
}

template <class Archive>
void task_fields(Archive& ar, task& x, std::uint64_t& revision) {
  if constexpr (store::is_compact_archive<Archive>)
    all(ar, x.number, x.id, x.workflow, x.version, x.content_type, x.priority, x.state, x.resume_state, x.locked_by,
        x.lock_epoch, revision, x.generation, x.failure_count, x.takeovers, x.notices, x.submitted_at, x.complete_by,
        x.not_before, x.ended_at, x.reply_to, x.cause, x.acts, x.trace, x.parent, x.limit);
  else
    all(ar, x.number, x.id, x.workflow, x.version, x.content_type, x.priority, x.state, x.resume_state, x.locked_by,
        x.lock_epoch, revision, x.generation, x.failure_count, x.takeovers, x.notices, x.submitted_at, x.complete_by,
        x.not_before, x.ended_at, x.reply_to, x.cause, x.acts);
}

template <class Archive>
void serialize(Archive& ar, task& x, unsigned) {
  task_fields(ar, x, x.revision);
  all(ar, x.payload, x.steps);
}

template <class Archive>
void serialize(Archive& ar, retry_policy& x, unsigned) {
  all(ar, x.attempts, x.initial, x.factor_percent, x.cap, x.jitter_percent);
}

template <class Archive>
void serialize(Archive& ar, cool_off_policy& x, unsigned) {
  all(ar, x.wait, x.count);
}

template <class Archive>
void serialize(Archive& ar, source& x, unsigned) {
  all(ar, x.from, x.step, x.pointer, x.literal);
}

template <class Archive>
void serialize(Archive& ar, input_member& x, unsigned) {
  if constexpr (store::is_compact_archive<Archive>)
    all(ar, x.name, x.value, x.optional);
  else
    all(ar, x.name, x.value);
}

template <class Archive>
void serialize(Archive& ar, result_mapping& x, unsigned) {
  all(ar, x.value, x.members);
}

template <class Archive>
void serialize(Archive& ar, condition& x, unsigned) {
  const store::nesting inside{condition_depth_max};
  if constexpr (store::is_compact_archive<Archive>)
    all(ar, x.step, x.pointer, x.is, x.literal, x.parts);
  else
    all(ar, x.step, x.pointer, x.is, x.literal);
}

/// Hands the input of a step, or of its compensation, to what writes or reads all fields. An empty input is written as
/// this one member, whose name no other input can have: no member at all stands for the whole payload.
template <class Archive, class Part, class Fields>
void with_input(Part& x, Fields fields) {
  static const input_mapping empty{{{}, {source::kind::literal, {}, {}, "null"}}};
  if constexpr (Archive::is_saving::value) {
    if (!x.has_empty_input)
      return fields(x.input);
    auto written = empty;
    fields(written);
  } else {
    fields(x.input);
    x.has_empty_input = x.input == empty;
    if (x.has_empty_input)
      x.input.clear();
  }
}

template <class Archive>
void serialize(Archive& ar, compensation& x, unsigned) {
  with_input<Archive>(x, [&](input_mapping& input) { all(ar, x.agent, input, x.complete_by, x.retry); });
}

template <class Archive>
void serialize(Archive& ar, probe& x, unsigned) {
  all(ar, x.agent, x.complete_by);
}

template <class Archive>
void serialize(Archive& ar, schedule& x, unsigned) {
  all(ar, x.name, x.workflow, x.version, x.payload, x.moment_as, x.priority, x.cron, x.every, x.zone, x.jitter, x.rule,
      x.catch_up, x.catch_up_max);
}

template <class Archive>
void serialize(Archive& ar, moment_note& x, unsigned) {
  all(ar, x.moment, x.at, x.fate, x.text);
}

template <class Archive>
void serialize(Archive& ar, schedule_state& x, unsigned) {
  all(ar, x.settled_until, x.what, x.file, x.next_at, x.queued, x.last_task, x.last_id, x.paused_by, x.paused_why,
      x.paused_at, x.notes, x.made);
}

template <class Archive>
void serialize(Archive& ar, wait_rule& x, unsigned) {
  all(ar, x.what, x.length, x.at, x.on, x.time_of_day, x.name, x.passes_at_limit, x.question, x.choices, x.remind_every,
      x.at_a_time, x.may_fail, x.may_fail_is_percentage);
}

template <class Archive>
void serialize(Archive& ar, later_rule& x, unsigned) {
  all(ar, x.limit, x.heartbeat);
}

template <class Archive>
void serialize(Archive& ar, repeat_rule& x, unsigned) {
  all(ar, x.until, x.every, x.at_most, x.passes_at_limit);
}

template <class Archive>
void serialize(Archive& ar, expect_rule& x, unsigned) {
  all(ar, x.is, x.retries);
}

template <class Archive>
void serialize(Archive& ar, step_definition& x, unsigned) {
  with_input<Archive>(x, [&](input_mapping& input) {
    if constexpr (store::is_compact_archive<Archive>)
      all(ar, x.name, x.agent, input, x.after, x.when, x.complete_by, x.retry, x.threshold, x.cool_off, x.exhausted,
          x.compensation, x.probe, x.wait, x.later, x.repeat, x.expect);
    else
      all(ar, x.name, x.agent, input, x.after, x.when, x.complete_by, x.retry, x.threshold, x.cool_off, x.exhausted,
          x.compensation, x.probe);
  });
}

template <class Archive>
void serialize(Archive& ar, definition& x, unsigned) {
  constexpr bool has_result = store::is_compact_archive<Archive>;
  static_assert(has_result || !Archive::is_saving::value, "format 1 cannot say all of a definition");
  if constexpr (has_result)
    all(ar, x.name, x.version, x.steps, x.deadline, x.undo_reserve, x.grace, x.alert_after, x.takeovers_max, x.priority,
        x.result, x.index, x.limit);
  else
    all(ar, x.name, x.version, x.steps, x.deadline, x.undo_reserve, x.grace, x.alert_after, x.takeovers_max,
        x.priority);
}

template <class Archive>
void serialize(Archive& ar, fan_out& x, unsigned) {
  all(ar, x.size, x.at_a_time, x.may_fail, x.generation, x.room, x.next, x.at_work, x.done, x.failed, x.in_error,
      x.first_in_error, x.told, x.results_size, x.is_gathered, x.is_turned, x.undo_next, x.undo_left, x.why);
}

template <class Archive>
void serialize(Archive& ar, payload_value& x, unsigned) {
  all(ar, x.place, x.value);
}

template <class Archive>
void serialize(Archive& ar, notice& x, unsigned) {
  all(ar, x.sequence, x.kind, x.step, x.text, x.at);
}

template <class Archive>
void serialize(Archive& ar, alert& x, unsigned) {
  all(ar, x.kind, x.text, x.step, x.at);
}

template <class Archive>
void serialize(Archive& ar, endings& x, unsigned) {
  all(ar, x.count, x.usual, x.last);
}

template <class Archive>
void serialize(Archive& ar, incident_signature& x, unsigned) {
  all(ar, x.kind, x.agent, x.workflow, x.step, x.cause);
}

template <class Archive>
void serialize(Archive& ar, late_reply& x, unsigned) {
  all(ar, x.step, x.attempt, x.epoch, x.outcome, x.why, x.at);
}

template <class Archive>
void serialize(Archive& ar, bulk_act& x, unsigned) {
  all(ar, x.number, x.act, x.step, x.document, x.new_key, x.who, x.why, x.where, x.filter, x.about, x.beyond,
      x.position, x.met, x.done, x.refused, x.skipped, x.state, x.started_at, x.ended_at, x.stopped_by, x.stopped_why);
}

template <class Archive>
void serialize(Archive& ar, bulk_refusal& x, unsigned) {
  all(ar, x.task_number, x.task_id, x.why);
}

} // namespace steadfast::workflow

namespace steadfast::store {

// ---- stored only ----

template <class Archive>
void serialize(Archive& ar, journal_used& x, unsigned) {
  all(ar, x.name, x.is_open);
}

template <class Archive>
void serialize(Archive& ar, journal_head& x, unsigned) {
  all(ar, x.name, x.size);
}

template <class Archive>
void serialize(Archive& ar, ended_count& x, unsigned) {
  all(ar, x.there, x.purged, x.alerts_purged);
}

template <class Archive>
void serialize(Archive& ar, event_record& x, unsigned) {
  if constexpr (is_compact_archive<Archive>)
    all(ar, x.number, x.name, x.key, x.data, x.who, x.at, x.expires_at, x.id);
  else
    all(ar, x.number, x.name, x.key, x.data, x.who, x.at, x.expires_at);
}

template <class Archive>
void serialize(Archive& ar, event_place_record& x, unsigned) {
  all(ar, x.key);
}

template <class Archive>
void serialize(Archive& ar, last_event& x, unsigned) {
  all(ar, x.number);
}

template <class Archive>
void serialize(Archive& ar, partition_record& x, unsigned) {
  all(ar, x.is.index, x.is.count);
}

template <class Archive>
void serialize(Archive& ar, event_rest& x, unsigned) {
  all(ar, x.place, x.after);
}

template <class Archive>
void serialize(Archive& ar, item_record& x, unsigned) {
  all(ar, x.state, x.bytes);
}

template <class Archive>
void serialize(Archive& ar, format_record& x, unsigned) {
  all(ar, x.format);
}

template <class Archive>
void serialize(Archive& ar, counters& x, unsigned) {
  all(ar, x.last_task, x.last_alert, x.last_epoch, x.tasks);
}

template <class Archive>
void serialize(Archive& ar, task_ref& x, unsigned) {
  all(ar, x.number, x.digest);
}

template <class Archive>
void serialize(Archive& ar, recent_id& x, unsigned) {
  all(ar, x.id, x.digest);
}

template <class Archive>
void serialize(Archive& ar, large_result& x, unsigned) {
  all(ar, x.step, x.size, x.hash);
}

/// Steps with rows of their own came with storage format 8, and no record in another body has them.
template <class Archive>
void last_fields(Archive& ar, std::uint64_t& payload_size, std::vector<large_result>& large, step_rows& rows) {
  if constexpr (is_compact_archive<Archive>)
    all(ar, payload_size, large, rows.steps, rows.check);
  else
    all(ar, payload_size, large);
}

template <class Archive>
void serialize(Archive& ar, task_state& x, unsigned) {
  task_fields(ar, x.task, x.task.revision);
  all(ar, x.task.steps);
  last_fields(ar, x.payload_size, x.large, x.rows);
}

/// Its fields, a large result passed over.
template <class Archive>
void write_step(Archive& ar, const workflow::step& step) {
  auto& s = const_cast<workflow::step&>(step); // only read: this archive saves
  workflow::blob nothing;
  workflow::step_fields(ar, s, s.result.size() > result_inline_max ? nothing : s.result);
}

/// Their number and their fields.
template <class Archive, class Steps>
void write_steps(Archive& ar, const Steps& steps) {
  auto count = static_cast<std::uint32_t>(steps.size());
  all(ar, count);
  for (const auto& step : steps)
    write_step(ar, step);
}

/// The same, where what is known of a record before is of use.
template <class Archive>
void write_stretch(Archive& ar, const workflow::few_steps& steps, workflow::instant submitted_at,
                   const steps_before& before, step_places* places) {
  auto count = static_cast<std::uint32_t>(steps.size());
  all(ar, count);
  // A step alone decides its bytes if the moments are told by their distance from the same one.
  const bool has_before = before.steps != nullptr && before.steps->size() == count && submitted_at != workflow::unset
                          && before.places->submitted_at == submitted_at && before.places->ends[count] != 0
                          && before.places->ends[count] <= before.row.size();
  step_places now{submitted_at, {}};
  for (std::size_t i = 0; i < count; ++i) {
    now.ends[i] = ar.position();
    if (has_before && before.steps->is_same(steps, i))
      ar.save_binary(before.row.data() + before.places->ends[i], before.places->ends[i + 1] - before.places->ends[i]);
    else
      write_step(ar, steps[i]);
  }
  now.ends[count] = ar.position();
  if (places != nullptr)
    *places = now;
}

/// Writes what the reader above expects.
template <class Archive>
void serialize(Archive& ar, task_state_view& x, unsigned) {
  auto& task = const_cast<workflow::task&>(*x.task); // only read: this archive saves
  workflow::task_fields(ar, task, x.revision);
  const bool is_apart = x.rows.steps != 0;
  static const std::vector<large_result> none;
  if (is_apart)
    write_steps(ar, workflow::few_steps{});
  else if (x.places != nullptr)
    write_stretch(ar, task.steps.stretch_of(0), task.submitted_at, x.before, x.places);
  else
    write_steps(ar, task.steps);
  last_fields(ar, x.payload_size, const_cast<std::vector<large_result>&>(is_apart ? none : *x.large), x.rows);
}

template <class Archive>
void serialize(Archive& ar, task_steps& x, unsigned) {
  all(ar, x.submitted_at);
  all(ar, x.steps);
  all(ar, x.large);
}

/// Writes what the reader above expects.
template <class Archive>
void serialize(Archive& ar, task_steps_view& x, unsigned) {
  all(ar, x.submitted_at);
  write_stretch(ar, x.all->stretch_of(x.first), x.submitted_at, x.before, x.places);
  all(ar, x.large);
}

template <class Archive>
void serialize(Archive& ar, payload_record& x, unsigned) {
  all(ar, x.bytes);
}

template <class Archive>
void serialize(Archive& ar, result_record& x, unsigned) {
  all(ar, x.bytes);
}

template <class Archive>
void serialize(Archive& ar, notice_record& x, unsigned) {
  all(ar, x.task_id, x.what);
}

template <class Archive>
void serialize(Archive& ar, late_reply_record& x, unsigned) {
  all(ar, x.task_id, x.what);
}

template <class Archive>
void serialize(Archive& ar, lease_record& x, unsigned) {
  all(ar, x.what, x.ttl);
}

template <class Archive>
void serialize(Archive& ar, set_aside_record& x, unsigned) {
  all(ar, x.why, x.at, x.bytes);
}

// ---- stored and sent ----

template <class Archive>
void serialize(Archive& ar, lease& x, unsigned) {
  all(ar, x.name, x.holder, x.note, x.epoch, x.expires_at);
}

template <class Archive>
void serialize(Archive& ar, alert_entry& x, unsigned) {
  all(ar, x.number, x.task_number, x.task_id, x.what, x.acknowledged_by, x.acknowledged_at);
}

template <class Archive>
void serialize(Archive& ar, exported_task& x, unsigned) {
  all(ar, x.definition, x.task, x.digest, x.late_replies);
}

template <class Archive>
void serialize(Archive& ar, incident& x, unsigned) {
  all(ar, x.number, x.what, x.tasks, x.alerts, x.tasks_ever, x.times, x.is_condition, x.first_at, x.last_at,
      x.closed_at, x.sample_task, x.sample_text, x.acknowledged_by, x.acknowledged_at, x.muted_until, x.acts);
}

/// Stored as a record of its own within a bulk act.
template <class Archive>
void serialize(Archive& ar, task_filter& x, unsigned) {
  all(ar, x.states, x.workflow, x.locked_by, x.text, x.agent, x.submitted_before, x.submitted_after, x.ended_before,
      x.ended_after, x.step, x.cause, x.payload);
}

} // namespace steadfast::store
