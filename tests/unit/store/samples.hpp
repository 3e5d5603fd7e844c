#pragma once

#include "store/contract/sent_outcome.hpp"
#include "store/records/stored.hpp"
#include "workflow/definition/definition.hpp"
#include "workflow/task/explain.hpp"
#include "workflow/transition/event.hpp"

/// One value of every record, with every field set and all of them different.
namespace steadfast::store::test {

inline workflow::instant moment(std::int64_t n) {
  return workflow::instant{workflow::span{1'700'000'000'000 + n}};
}

inline workflow::step sample_step() {
  workflow::step s;
  s.state = workflow::step_state::compensating;
  s.doing = workflow::attempt_action::compensate;
  s.attempt = 4;
  s.tries = 2;
  s.failure_count = 1;
  s.cool_offs = 3;
  s.key_generation = 5;
  s.maybe_done = true;
  s.needs_review = true;
  s.probe_given_up = true;
  s.wait_alerted = true;
  s.complete_by = moment(1);
  s.settles_at = moment(2);
  s.not_before = moment(3);
  s.waiting_since = moment(4);
  s.completed_at = moment(5);
  s.completed_order = 6;
  s.result = workflow::blob{R"({"parcel":7})"};
  s.facts = {{"/parcel", "7"}};
  s.error = "the service was busy";
  s.waiting_for = "back-off";
  s.log = {{3, workflow::attempt_action::probe, workflow::attempt_outcome::declined, 9, moment(6), moment(7), "drone",
            "too many"},
           {4, workflow::attempt_action::compensate, workflow::attempt_outcome::open, 10, moment(8), workflow::unset,
            "undo-drone", ""}};
  s.log_dropped = 2;
  return s;
}

inline workflow::task sample_task() {
  workflow::task t;
  t.number = 0x0102030405060708;
  t.id = "order-4711";
  t.workflow = "delivery";
  t.version = 3;
  t.payload = workflow::blob{R"({"to":"Oslo"})"};
  t.content_type = "application/json";
  t.priority = 7;
  t.state = workflow::process_state::suspended;
  t.resume_state = workflow::process_state::undoing;
  t.locked_by = "scheduler-1";
  t.lock_epoch = 12;
  t.revision = 34;
  t.generation = 2;
  t.failure_count = 5;
  t.takeovers = 1;
  t.notices = 6;
  t.submitted_at = moment(10);
  t.complete_by = moment(11);
  t.not_before = moment(12);
  t.ended_at = moment(13);
  t.reply_to = "shop";
  t.cause = "cancelled by ann";
  t.steps = workflow::step_list{{sample_step(), workflow::step{}}};
  t.acts = {{moment(14), "ann", "suspend", "wait for the customer"}};
  return t;
}

inline workflow::definition sample_definition() {
  workflow::step_definition a;
  a.name = "package";
  a.agent = "packing";
  a.input = {{"to", {workflow::source::kind::payload, "", "/to", ""}, true},
             {"kind", {workflow::source::kind::literal, "", "", "\"box\""}}};
  a.complete_by = workflow::span{1001};
  a.retry = {6, workflow::span{1002}, 150, workflow::span{1003}, 21};
  a.threshold = 4;
  a.cool_off = {workflow::span{1004}, 2};
  a.exhausted = workflow::on_exhausted::error;
  a.compensation = workflow::compensation{"unpacking",
                                          {{"parcel", {workflow::source::kind::result, "package", "/parcel", ""}}},
                                          false,
                                          workflow::span{1005},
                                          {7, workflow::span{1006}, 300, workflow::span{1007}, 22}};
  a.probe = workflow::probe{"packing", workflow::span{1008}};
  workflow::step_definition b;
  b.name = "drone";
  b.agent = "flying";
  b.after = std::vector<std::string>{"package"};
  b.when = workflow::condition{"package", "/carrier", workflow::condition::test::differs, "true"};
  workflow::definition d;
  d.name = "delivery";
  d.version = 3;
  d.steps = {a, b};
  d.deadline = workflow::span{2001};
  d.undo_reserve = workflow::span{2002};
  d.grace = workflow::span{2003};
  d.alert_after = workflow::span{2004};
  d.takeovers_max = 8;
  d.priority = 6;
  d.result = {{}, {{"parcel", {workflow::source::kind::result, "package", "/parcel", ""}, true}}};
  return d;
}

/// What of it the formats before 6 could say, which had no optional members and no result.
inline workflow::definition as_of_format_1(workflow::definition d) {
  for (auto& s : d.steps)
    for (auto& m : s.input)
      m.optional = false;
  d.result = {};
  return d;
}

inline workflow::submission sample_submission() {
  return {"order-4711", "delivery", 3, workflow::blob{"[1]"}, "text/json", std::uint8_t{2}, moment(20), "shop"};
}

inline workflow::notice sample_notice() {
  return {5, workflow::notice_kind::step_completed, "package", "done", moment(30)};
}

inline workflow::alert sample_alert() {
  return {"undo_failed", "the drone is still booked", "drone", moment(31)};
}

inline workflow::late_reply sample_late_reply() {
  return {"drone", 3, 9, "attempt_succeeded", "its complete-by has passed", moment(32)};
}

inline lease sample_lease() {
  return {"supervisor", "node-1", "10.0.0.1", 42, moment(33)};
}

inline alert_entry sample_alert_entry() {
  return {7, 0x0102030405060708, "order-4711", sample_alert(), "ann", moment(34)};
}

inline incident sample_incident() {
  incident x;
  x.number = 7;
  x.what = {"undo_failed", "undo-drone", "delivery", "drone", "HTTP 503: # is busy"};
  x.tasks = 8;
  x.alerts = 9;
  x.tasks_ever = 10;
  x.times = 11;
  x.is_condition = true;
  x.first_at = moment(80);
  x.last_at = moment(81);
  x.closed_at = moment(82);
  x.sample_task = "order-4711";
  x.sample_text = "the drone is still booked";
  x.acknowledged_by = "ann";
  x.acknowledged_at = moment(83);
  x.muted_until = moment(84);
  x.acts = {{moment(85), "ann", "note", "ticket 4711"}};
  return x;
}

inline workflow::bulk_act sample_bulk_act() {
  workflow::bulk_act b;
  b.number = 7;
  b.act = workflow::task_act::skip;
  b.step = "drone";
  b.document = R"({"by":"post"})";
  b.new_key = true;
  b.who = "ann";
  b.why = "the drone is lost";
  b.where = "state=error";
  b.filter = "as the store asks";
  b.about = 8;
  b.beyond = 9;
  b.position = 10;
  b.met = {11, 12};
  b.done = 13;
  b.refused = 14;
  b.skipped = 15;
  b.state = workflow::bulk_state::stopped;
  b.started_at = moment(90);
  b.ended_at = moment(91);
  b.stopped_by = "bob";
  b.stopped_why = "wrong filter";
  return b;
}

inline workflow::bulk_refusal sample_bulk_refusal() {
  return {0x0102030405060708, "order-4711", "it has ended"};
}

inline counters sample_counters() {
  return {100, 7, 42, {0, 1, 2, 3, 4, 5, 6, 7}};
}

inline exported_task sample_export() {
  return {sample_definition(), sample_task(), {0x2122232425262728, 0x3132333435363738}, {sample_late_reply()}};
}

inline ended_position sample_position() {
  return {moment(73), 24, 26};
}

inline std::vector<store::write> sample_writes() {
  update_task u;
  u.next = sample_task();
  u.lock_epoch_before = 11;
  u.guard = lease_guard{"supervisor", 42};
  u.notices = {sample_notice()};
  u.alerts = {sample_alert()};
  u.evidence = sample_late_reply();
  u.payload_changed = true;
  u.bulk = 7;
  return {
    submit_task{sample_submission(), moment(40)},
    u,
    claim_tasks{"scheduler-1", 17, moment(41), lease_guard{"node/one", 43}, 1024, 18, {{"delivery", 19}}, "delivery"},
    free_locks{"scheduler-1", 18, true, moment(42)},
    keep_late_reply{19, sample_late_reply()},
    register_definition{sample_definition()},
    acquire_lease{"supervisor", "node-1", "10.0.0.1", workflow::span{5000}, moment(43)},
    renew_lease{"supervisor", "node-1", 42, workflow::span{5001}, moment(44)},
    release_lease{"supervisor", "node-1", 42},
    acknowledge_alert{7, "ann", moment(45)},
    acknowledge_notices{"shop", 20, 5},
    record_act{"ann", "drained node `one`", "maintenance", moment(70)},
    import_task{sample_export(), "ann", "moved", moment(71)},
    set_aside_damaged{21, "its checksum does not match", moment(46)},
    purge_ended{"delivery", {workflow::span{3001}, 25}, 23, sample_position(), moment(72)},
    start_bulk{sample_bulk_act(), moment(92)},
    advance_bulk{7, 20, true, {sample_bulk_refusal()}, 21, moment(93)},
    stop_bulk{7, "bob", "wrong filter", moment(94)},
  };
}

inline outcome sample_outcome() {
  return outcome_of(
    {write_status::stale_epoch, "the lease is at epoch 43"},
    {true, 22, 23, workflow::process_state::undone, {sample_task()}, moment(47), true, sample_position()});
}

inline task_filter sample_filter() {
  return {{workflow::process_state::error, workflow::process_state::undone},
          "delivery",
          "scheduler-1",
          "Oslo",
          "drone",
          moment(48),
          moment(49),
          moment(74),
          moment(75),
          "package",
          "HTTP 503",
          {{"/customer", "c-77"}}};
}

} // namespace steadfast::store::test
