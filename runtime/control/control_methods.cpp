#include "runtime/control/control_methods.hpp"

#include "actors/agents/step_input.hpp"
#include "actors/gateway/act_event.hpp"
#include "api/names.hpp"
#include "runtime/control/control_context.hpp"
#include "runtime/control/older_nodes.hpp"
#include "runtime/logging/log.hpp"
#include "runtime/text/json.hpp"
#include "runtime/text/time_text.hpp"
#include "workflow/outward/trace.hpp"
#include "workflow/task/explain.hpp"
#include "workflow/text/name.hpp"
#include "workflow/transition/transition.hpp"

#include <caf/actor_system.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/scoped_actor.hpp>

#include <algorithm>
#include <atomic>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <variant>

namespace steadfast {

namespace {

using nlohmann::json;

// ---- submitting ----

workflow::submission submission_of(const control_context& c, const api::arguments& params) {
  workflow::submission s;
  if (c.parts.traces)
    s.trace = params.text("traceparent");
  if (!s.trace.empty() && !workflow::parse_traceparent(s.trace))
    throw api::error{api::error::invalid_params, "`traceparent` is not one of W3C Trace Context", {}, "traceparent"};
  s.id = params.text("id");
  s.workflow = params.text("workflow");
  s.version = params.number<std::uint32_t>("version");
  s.payload = workflow::blob{document_of(params, "payload")};
  if (params.has("content_type"))
    s.content_type = params.text("content_type");
  s.reply_to = params.text("reply_to");
  if (params.has("priority"))
    s.priority = params.number<std::uint8_t>("priority");
  s.not_before = moment_of(params, "not_before_ms", s.not_before);
  const auto debounce = params.number<std::uint64_t>("debounce_ms");
  const auto conflict = params.has("on_conflict") ? params.text("on_conflict") : debounce > 0 ? "replace" : "same";
  s.conflict = conflict == "replace"  ? workflow::on_conflict::replace
               : conflict == "refuse" ? workflow::on_conflict::refuse
                                      : workflow::on_conflict::same;
  s.debounce = workflow::span{static_cast<std::int64_t>(debounce)};
  return s;
}

json result_of(const std::string& id, const actors::receipt& r) {
  if (r.result != store::write_status::applied)
    throw control_context::error_of(r.result, r.why, r.retry_after);
  return {{"id", id},
          {"created", r.created},
          {"replaced", !r.created && !r.why.empty()},
          {"number", r.number},
          {"process_state", std::string{workflow::to_string(r.state)}}};
}

/// Many submissions wait for one commit, so none of them occupies a thread.
void submit(const control_context& c, const api::arguments& params, const control_reply& reply) {
  auto s = submission_of(c, params);
  const bool is_plain = s.conflict == workflow::on_conflict::same;
  const auto ask = [to = c.submissions, id = s.id, what = actors::boxed<workflow::submission>{std::move(s)}, reply] {
    to->submit(what, [to, reply, id](const actors::receipt* r) {
      reply([&] { return r != nullptr ? result_of(id, *r) : throw control_context::error_of({}); });
    });
  };
  if (is_plain)
    return ask();
  c.sys.spawn([ask, reader = c.parts.reader, reply](caf::event_based_actor* self) {
    unless_older(self, reader, workflow::knowledge::limits, "`on_conflict`", reply, ask);
  });
}

// ---- tasks ----

} // namespace

actors::task_view view_of(const control_context& c, const std::string& id) {
  auto view = c.ask<actors::task_view>(c.parts.gateway, actors::show_task{id});
  if (!view.damage.empty())
    throw api::error{api::error::refused, "the task `" + id + "` was set aside because its records are damaged ("
                                            + view.damage
                                            + "): restore a copy of the store to get it back, or submit the work "
                                              "under another id"};
  if (!view.task || !view.definition)
    throw api::error{api::error::not_found, "there is no task `" + id + "`"};
  return view;
}

namespace {

/// "; `a` is in error, and keeps its place until a person acts": of the tasks that have a place; empty: none is so.
std::string told_stuck(const control_context& c, const std::vector<std::string>& holders) {
  using workflow::process_state;
  std::string told;
  for (const auto& id : holders) {
    const auto view = c.ask<actors::task_view>(c.parts.gateway, actors::show_task{id});
    const auto state = view.task ? view.task->state : process_state::processed;
    if (state == process_state::error || state == process_state::suspended)
      told += "; " + workflow::quoted(id) + (state == process_state::error ? " is in error" : " is suspended")
              + ", and keeps its place until a person acts";
  }
  return told;
}

/// Who has the places of its key. Nothing: it does not wait for one.
std::optional<workflow::explanation> told_limit_queue(const control_context& c, const workflow::task& t) {
  const auto q = c.ask<actors::limit_queue>(c.parts.reader, actors::find_limit_queue{t.number});
  if (!q.is_waiting)
    return std::nullopt;
  std::string holders;
  for (const auto& id : q.holders)
    holders += (holders.empty() ? "" : ", ") + workflow::quoted(id);
  const auto others = q.before < store::limit_before_max ? std::to_string(q.before)
                                                         : "at least " + std::to_string(store::limit_before_max);
  const auto what = holders.empty() ? "a place" : "the end of " + holders;
  const std::string free =
    q.free_at == workflow::unset ? "" : "; a place that is kept of one that has ended is free at";
  return workflow::explanation{"waiting: for " + what + ", with the same key; " + others
                                 + " more with that key come before it" + told_stuck(c, q.holders) + free,
                               q.free_at};
}

json show_task(const control_context& c, const api::arguments& params) {
  const auto view = view_of(c, params.text("id"));
  json late = json::array();
  for (const auto& reply : view.late_replies)
    late.push_back(late_reply_json(*reply));
  auto sentences = workflow::explain(*view.task, *view.definition, c.clock_of(view.task->number));
  if (view.task->state == workflow::process_state::pending)
    if (auto trouble = scheduler_trouble(c); !trouble.empty())
      sentences.insert(sentences.begin() + 1,
                       workflow::explanation{std::move(trouble), workflow::unset}); // never empty
  if (workflow::waits_for_key(*view.task))
    if (auto who = told_limit_queue(c, *view.task))
      sentences.push_back(*std::move(who));
  tell_started_tasks(c, *view.task, *view.definition, sentences);
  return {{"task", task_json(*view.task, *view.definition)},
          {"explanation", explanation_json(sentences)},
          {"late_replies", late}};
}

json task_state(const control_context& c, const api::arguments& params) {
  const auto view = view_of(c, params.text("id"));
  json answer{{"process_state", std::string{workflow::to_string(view.task->state)}},
              {"cause", view.task->cause},
              {"number", view.task->number}};
  if (!view.definition->result.empty())
    answer["result"] = document_json(actors::result_of(*view.task, *view.definition));
  return answer;
}

json told_state(workflow::process_state s) {
  return {{"process_state", std::string{workflow::to_string(s)}}};
}

/// What the act would answer, by what is there now. Throws api::error with the reason if the task would not take it.
json dry_run(const control_context& c, const actors::act_on_task& act) {
  const auto view = view_of(c, act.id);
  if (act.revision != 0 && act.revision != view.task->revision)
    throw api::error{api::error::refused, actors::why_changed(act.revision)};
  const auto event = actors::event_of(act, *view.task, *view.definition);
  if (!event)
    throw api::error{api::error::refused, actors::why_no_event(act)};
  const auto change = workflow::apply(*view.task, *view.definition, *event, c.clock_of(view.task->number));
  if (change.result != workflow::event_status::applied)
    throw api::error{api::error::refused, change.reason};
  return told_state(change.next.state);
}

} // namespace

json state_after(const actors::act_result& r) {
  using workflow::act_refusal;
  constexpr std::chrono::milliseconds soon{200};
  if (r.done)
    return told_state(r.state);
  switch (r.refusal) {
    case act_refusal::gone: throw api::error{api::error::not_found, r.why};
    case act_refusal::not_now: throw api::error{api::error::busy, r.why, soon};
    case act_refusal::unknown: throw api::error{api::error::timed_out, r.why};
    case act_refusal::by_rule:
    case act_refusal::changed: break;
  }
  throw api::error{api::error::refused, r.why};
}

namespace {

json act_on_task(const control_context& c, const api::arguments& params) {
  actors::act_on_task question;
  question.id = params.text("id");
  question.act = act_of(params);
  question.step = params.text("step");
  question.document = document_of(params, "document");
  question.new_key = params.flag("new_key");
  question.who = params.text("who");
  question.why = params.text("why");
  question.revision = params.number<std::uint64_t>("revision");
  if (params.flag("dry_run"))
    return dry_run(c, question);
  return state_after(c.ask<actors::act_result>(c.parts.gateway, question));
}

// ---- the rest of the store ----

json list_late_replies(const control_context& c, const api::arguments& params) {
  const actors::list_late_replies question{static_cast<std::uint32_t>(max_of(params))};
  const auto page = c.ask<actors::late_reply_page>(c.parts.reader, question);
  json all = json::array();
  for (const auto& r : page.late_replies)
    all.push_back(late_reply_json(*r));
  return {{"late_replies", all}};
}

// ---- the methods of the table ----

using gives_result = json (*)(const control_context& c, const api::arguments& params);
using replies = void (*)(const control_context& c, const api::arguments& params, const control_reply& reply);

struct binding {
  const char* method;
  std::variant<gives_result, replies> function;
};

constexpr binding bindings[] = {
  {api::submit, submit},
  {api::task_show, show_task},
  {api::task_state, task_state},
  {api::task_list, list_tasks},
  {api::task_count, count_tasks},
  {api::task_in_place, list_in_place},
  {api::task_act, act_on_task},
  {api::step_complete, complete_step},
  {api::step_fail, fail_step},
  {api::step_extend, extend_step},
  {api::event_send, send_event},
  {api::approval_list, list_approvals},
  {api::approval_answer, answer_approval},
  {api::task_stuck, list_stuck},
  {api::task_plan_undo, plan_undo},
  {api::alerts_list, list_alerts},
  {api::alerts_ack, acknowledge_alert},
  {api::incident_list, list_incidents},
  {api::incident_show, show_incident},
  {api::incident_act, act_on_incident},
  {api::bulk_start, start_bulk},
  {api::bulk_list, list_bulk_acts},
  {api::bulk_show, show_bulk_act},
  {api::bulk_stop, stop_bulk},
  {api::workflow_list, list_workflows},
  {api::workflow_show, show_workflow},
  {api::workflow_register, register_workflow},
  {api::schedule_list, list_schedules},
  {api::event_list, list_events},
  {api::schedule_show, show_schedule},
  {api::schedule_put, put_schedules},
  {api::schedule_act, act_on_schedule},
  {api::lease_list, list_leases},
  {api::lease_release, release_lease},
  {api::actor_list, list_actors},
  {api::actor_show, show_actor},
  {api::agent_list, list_agents},
  {api::circuit_set, set_circuit},
  {api::webhook_list, list_webhooks},
  {api::webhook_test, test_webhook},
  {api::node_drain, drain_node},
  {api::late_list, list_late_replies},
  {api::node_describe, describe_node},
  {api::node_list, list_nodes},
  {api::health_show, show_health},
  {api::store_stats, show_store_stats},
  {api::store_check, check_store},
  {api::store_copy, copy_store},
  {api::store_export, export_task},
  {api::store_import, import_task},
};

json run(gives_result method, const control_context& c, const api::arguments& params) {
  try {
    return method(c, params);
  } catch (const store::store_error& e) { // about a file that it was asked to read or write
    throw api::error{api::error::refused, e.what()};
  }
}

} // namespace

std::string document_of(const api::arguments& params, const char* name) {
  if (!params.has(name))
    return {};
  const auto& given = params.value(name);
  return given.is_string() ? given.get<std::string>() : json_line(given);
}

actors::task_act act_of(const api::arguments& params) {
  return workflow::parse_task_act(params.text("act")).value(); // one of its choices
}

workflow::instant moment_of(const api::arguments& params, const char* name, workflow::instant absent) {
  return workflow::instant{workflow::span{params.moment(name, absent.time_since_epoch().count())}};
}

std::size_t max_of(const api::arguments& params) {
  return params.number<std::size_t>("max");
}

api::error control_context::error_of(store::write_status s, const std::string& why,
                                     std::chrono::milliseconds retry_after) {
  using enum store::write_status;
  switch (s) {
    case full: return {api::error::busy, why, retry_after};
    case absent: return {api::error::not_found, why};
    case unknown_outcome: return {api::error::timed_out, why};
    default: return {api::error::refused, why};
  }
}

store::outcome control_context::outcome_of(store::write what) const {
  actors::write_request request;
  request.what = actors::boxed<store::write>{std::move(what)};
  caf::scoped_actor self{sys};
  self->send(parts.store_actor, actors::write_requests{{std::move(request)}});
  std::optional<store::outcome> outcome;
  self->receive([&](const actors::writes_done& m) { outcome = *m.all.at(0).outcome; },
                caf::after(reply_limit) >> [] {});
  if (!outcome || outcome->result == store::write_status::unknown_outcome)
    throw api::error{api::error::timed_out, "the store did not answer; the outcome is unknown"};
  if (outcome->result == store::write_status::full)
    throw error_of(outcome->result, outcome->why);
  return *std::move(outcome);
}

void record_act(const control_context& c, const api::arguments& params, const std::string& what) {
  const auto who = params.text("who");
  const auto why = params.text("why");
  log_line("info", who + " " + what + (why.empty() ? "" : ": " + why));
  c.write(store::record_act{who, what, why, {}});
}

void record_done(const control_context& c, const api::arguments& params, const std::string& what) {
  try {
    record_act(c, params, what);
  } catch (const api::error& e) {
    log_line("warning", "done, but not recorded in the store: " + params.text("who") + " " + what + ": " + e.what());
  }
}

control_methods methods_of(caf::actor_system& sys, const node_parts& parts) {
  const auto is_store_read_whole = std::make_shared<std::atomic<bool>>(false);
  const auto stuck_report = std::make_shared<kept_stuck_report>();
  const auto submissions =
    std::make_shared<pending_submissions>(sys, parts.gateway, workflow::span{control_context::reply_limit});
  control_methods all;
  for (const auto& b : bindings) {
    const auto bound = [&sys, &parts, is_store_read_whole, stuck_report, submissions, b,
                        method = &api::method_of(b.method)](const json& given, const control_reply& reply) {
      const api::arguments params{*method, given};
      const control_context c{sys, parts, *is_store_read_whole, *stuck_report, submissions};
      if (const auto* replies_later = std::get_if<replies>(&b.function))
        (*replies_later)(c, params, reply);
      else
        reply([&] { return run(std::get<gives_result>(b.function), c, params); });
    };
    all[b.method] = bound;
  }
  return all;
}

} // namespace steadfast
