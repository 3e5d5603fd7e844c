#include "runtime/text/json.hpp"

#include "runtime/text/steering_text.hpp"

#include "actors/agents/step_input.hpp"
#include "client/exact_json.hpp"
#include "runtime/text/time_text.hpp"
#include "workflow/definition/item_workflow.hpp"
#include "workflow/task/waiting.hpp"

#include <algorithm>

namespace steadfast {

using nlohmann::json;

namespace {

json text(std::string_view t) {
  return json(std::string{t});
}

json record_json(const workflow::attempt_record& r) {
  return {
    {"attempt", r.number},
    {"action", text(to_string(r.action))},
    {"agent", r.agent},
    {"started_at", instant_json(r.started_at)},
    {"ended_at", instant_json(r.ended_at)},
    {"outcome", text(to_string(r.outcome))},
    {"epoch", r.epoch},
    {"note", r.note},
  };
}

json names_before(const workflow::definition& d, std::size_t i) {
  json names = json::array();
  for (const auto p : workflow::predecessors(d, i))
    names.push_back(d.steps[p].name);
  return names;
}

json log_json(const workflow::step& s) {
  json lines = json::array();
  for (const auto& r : s.log)
    lines.push_back(record_json(r));
  return lines;
}

json step_json(const workflow::task& t, const workflow::definition& d, std::size_t i) {
  const auto& s = t.steps[i];
  const auto& rules = d.steps[i];
  json j{
    {"name", rules.name},
    {"agent", rules.wait ? std::string{} : rules.agent}, // it calls those of the items
    {"state", text(to_string(s.state))},
    {"after", names_before(d, i)},
    {"compensation", workflow::has_undo(rules)},
    {"attempt", s.attempt},
    {"attempts_limit", workflow::attempts_limit(rules)},
    {"doing", s.doing == workflow::attempt_action::none ? json{} : text(to_string(s.doing))},
    {"failed_rounds", s.failure_count},
    {"cool_offs", s.cool_offs},
    {"complete_by", s.doing == workflow::attempt_action::none ? json{} : instant_json(s.complete_by)},
    {"completed_at", instant_json(s.completed_at)},
    {"completed_order", s.completed_order},
    {"error", s.error},
    {"waiting_for", s.waiting_for},
    {"not_before", instant_json(s.not_before)},
    {"result", document_json(s.result.view())},
    {"log", log_json(s)},
    {"log_dropped", s.log_dropped},
  };
  if (rules.repeat)
    j.update({{"calls", s.wait->calls}, {"calls_max", rules.repeat->at_most}});
  if (workflow::ends_later(s))
    j["ends_later"] = true;
  if (!s.wait->progress.empty())
    j["progress"] = s.wait->progress;
  if (s.state == workflow::step_state::waiting && rules.wait && workflow::is_until_told(*rules.wait)) {
    const auto& w = *rules.wait;
    const bool is_event = w.what == workflow::wait_rule::kind::event;
    j[is_event ? "waits_for_event" : "waits_for_role"] = w.name;
    if (is_event)
      j["event_key"] = s.wait->event_key;
    else
      j.update({{"question", w.question}, {"choices", w.choices}});
    j["limit_at"] = instant_json(workflow::told_until(s, w));
  }
  if (workflow::is_over_items(rules))
    j["items_workflow"] = workflow::workflow_of_items(d, i);
  else if (workflow::starts_child(rules) && !s.log.empty())
    j.update({{"child", workflow::child_id(t, d, i)}, {"child_workflow", rules.wait->name}});
  if (s.wait->event != 0)
    j["event"] = s.wait->event;
  return j;
}

json acts_json(const workflow::task& t) {
  json acts = json::array();
  for (const auto& a : t.acts)
    acts.push_back({{"at", instant_json(a.at)}, {"who", a.who}, {"what", a.what}, {"why", a.why}});
  return acts;
}

/// The last moment that its records name: its submission, a call begun or ended, what a person did, its end.
workflow::instant changed_at(const workflow::task& t) {
  auto at = std::max({t.submitted_at, t.ended_at, t.acts.empty() ? workflow::unset : t.acts.back().at});
  for (const auto& s : t.steps) {
    at = std::max({at, s.completed_at, s.waiting_since});
    for (const auto& a : s.log)
      at = std::max({at, a.started_at, a.ended_at});
  }
  return at;
}

json head_json(const workflow::task& t) {
  return {
    {"id", t.id},
    {"number", t.number},
    {"workflow", t.workflow},
    {"version", t.version},
    {"process_state", text(to_string(t.state))},
    {"cause", t.cause},
    {"priority", t.priority},
    {"locked_by", t.locked_by},
    {"lock_epoch", t.lock_epoch},
    {"submitted_at", instant_json(t.submitted_at)},
    {"not_before", instant_json(t.not_before)},
    {"complete_by", instant_json(t.complete_by)},
    {"ended_at", instant_json(t.ended_at)},
    {"changed_at", instant_json(changed_at(t))},
    {"failure_count", t.failure_count},
    {"generation", t.generation},
    {"revision", t.revision},
    {"takeovers", t.takeovers},
    {"reply_to", t.reply_to},
  };
}

} // namespace

json instant_json(workflow::instant t) {
  return t == workflow::unset || t > workflow::instant_max ? json{} : json(utc_text(t));
}

json document_json(std::string_view bytes) {
  if (bytes.empty())
    return nullptr;
  auto document = exact_json(bytes);
  return document.is_discarded() ? text(bytes) : document;
}

json task_json(const workflow::task& t, const workflow::definition& d) {
  auto j = head_json(t);
  if (t.state == workflow::process_state::suspended)
    j["resume_state"] = text(to_string(t.resume_state));
  if (!t.parent.empty())
    j["parent"] = t.parent->id;
  if (!t.limit.empty())
    j["limit_key"] = t.limit->key;
  if (!t.limit.empty() && t.limit->begun_at != workflow::unset)
    j["began_at"] = instant_json(t.limit->begun_at);
  j["acts"] = acts_json(t);
  j["steps"] = json::array();
  for (std::size_t i = 0; i < t.steps.size() && i < d.steps.size(); ++i)
    j["steps"].push_back(step_json(t, d, i));
  j["content_type"] = t.content_type;
  j["payload"] = document_json(t.payload.view());
  if (!d.result.empty())
    j["result"] = document_json(actors::result_of(t, d));
  return j;
}

json task_summary_json(const workflow::task& t) {
  auto j = head_json(t);
  std::size_t done = 0;
  for (const auto& s : t.steps)
    done += s.state == workflow::step_state::completed || s.state == workflow::step_state::skipped ? 1 : 0;
  j["steps_done"] = done;
  j["steps_total"] = t.steps.size();
  return j;
}

json explanation_json(const std::vector<workflow::explanation>& sentences) {
  json list = json::array();
  for (const auto& e : sentences)
    list.push_back({{"text", e.text}, {"at", instant_json(e.at)}});
  return list;
}

json alert_json(const store::alert_entry& a) {
  return {
    {"number", a.number},
    {"task_id", a.task_id},
    {"task_number", a.task_number},
    {"kind", a.what.kind},
    {"text", a.what.text},
    {"step", a.what.step},
    {"at", instant_json(a.what.at)},
    {"acknowledged_by", a.acknowledged_by},
    {"acknowledged_at", instant_json(a.acknowledged_at)},
  };
}

json incident_json(const store::incident& x) {
  json acts = json::array();
  for (const auto& a : x.acts)
    acts.push_back({{"at", instant_json(a.at)}, {"who", a.who}, {"what", a.what}, {"why", a.why}});
  return {
    {"number", x.number},
    {"kind", x.what.kind},
    {"agent", x.what.agent},
    {"workflow", x.what.workflow},
    {"step", x.what.step},
    {"cause", x.what.cause},
    {"is_condition", x.is_condition},
    {"tasks", x.tasks},
    {"tasks_ever", x.tasks_ever},
    {"alerts", x.alerts},
    {"times", x.times},
    {"first_at", instant_json(x.first_at)},
    {"last_at", instant_json(x.last_at)},
    {"closed_at", instant_json(x.closed_at)},
    {"sample_task", x.sample_task},
    {"sample_text", x.sample_text},
    {"acknowledged_by", x.acknowledged_by},
    {"acknowledged_at", instant_json(x.acknowledged_at)},
    {"muted", x.muted_until != workflow::unset},
    {"muted_until", instant_json(x.muted_until)},
    {"acts", acts},
  };
}

json bulk_json(const workflow::bulk_act& b) {
  return {
    {"number", b.number},
    {"act", text(to_string(b.act))},
    {"step", b.step},
    {"where", b.where},
    {"who", b.who},
    {"why", b.why},
    {"state", text(to_string(b.state))},
    {"started_at", instant_json(b.started_at)},
    {"ended_at", instant_json(b.ended_at)},
    {"about", b.about},
    {"done", b.done},
    {"refused", b.refused},
    {"skipped", b.skipped},
    {"stopped_by", b.stopped_by},
    {"stopped_why", b.stopped_why},
  };
}

json lease_json(const store::lease& l) {
  return {
    {"name", l.name},
    {"holder", l.holder},
    {"note", l.note},
    {"epoch", l.epoch},
    {"expires_at", instant_json(l.expires_at)},
  };
}

json late_reply_json(const store::late_reply_entry& r) {
  return {
    {"task_id", r.task_id},  {"task_number", r.task_number}, {"step", r.what.step}, {"attempt", r.what.attempt},
    {"epoch", r.what.epoch}, {"outcome", r.what.outcome},    {"why", r.what.why},   {"at", instant_json(r.what.at)},
  };
}

json notice_json(const store::notice_entry& n) {
  return {
    {"observer", n.observer},
    {"task_id", n.task_id},
    {"task_number", n.task_number},
    {"sequence", n.what.sequence},
    {"kind", text(to_string(n.what.kind))},
    {"step", n.what.step},
    {"text", n.what.text},
    {"at", instant_json(n.what.at)},
  };
}

json stats_json(const store::store_stats& s) {
  json tasks = json::object();
  for (const auto& [state, count] : s.tasks)
    tasks[std::string{to_string(state)}] = count;
  json all = {
    {"tasks", tasks},
    {"claimable", s.claimable},
    {"open_alerts", s.open_alerts},
    {"bytes_used", s.bytes_used},
    {"bytes_mapped", s.bytes_mapped},
    {"bytes_max", s.bytes_max},
    {"last_number", s.last_number},
    {"tasks_purged", s.tasks_purged},
    {"bytes_reserve", s.bytes_reserve},
    {"disk_free", s.disk_free},
    {"disk_size", s.disk_size},
  };
  if (!s.last_numbers.empty())
    all["last_numbers"] = s.last_numbers;
  return all;
}

json imported_json(const std::string& id, const store::import_result& o) {
  return {{"id", id}, {"number", o.number}, {"process_state", std::string{to_string(o.state)}}};
}

json check_json(const store::check_report& r) {
  return {{"records", r.records}, {"tasks", r.tasks}, {"faults", r.faults}};
}

std::string json_line(const json& j) {
  auto text = runtime::escaped_json(exact_text(j));
  for (auto at = text.find('\x7f'); at != std::string::npos; at = text.find('\x7f', at)) // which JSON lets through
    text.replace(at, 1, "\\u007f");
  return text;
}

} // namespace steadfast
