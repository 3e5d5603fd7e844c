#include "runtime/control/control_methods.hpp"

#include "actors/agents/step_input.hpp"
#include "runtime/control/control_context.hpp"
#include "runtime/logging/log.hpp"
#include "runtime/text/json.hpp"
#include "runtime/text/nearest.hpp"
#include "runtime/text/time_text.hpp"
#include "workflow/task/explain.hpp"
#include "workflow/text/name.hpp"
#include "workflow/transition/transition.hpp"
#include "workflow/transition/undo_plan.hpp"

#include <caf/actor_system.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/scoped_actor.hpp>

#include <algorithm>
#include <atomic>
#include <map>
#include <memory>
#include <optional>
#include <utility>

namespace steadfast {

namespace {

using nlohmann::json;

/// What people say of themselves and of their reasons is kept with what they did, and no more of it than is kept is
/// taken.
std::size_t size_max_of(std::string_view name) {
  return name == "who" || name == "why" ? workflow::note_size_max : std::string::npos;
}

// ---- submitting ----

workflow::submission submission_of(const json& params) {
  workflow::submission s;
  s.id = text_of(params, "id");
  s.workflow = text_of(params, "workflow");
  s.version = number_of(params, "version", 0U);
  s.payload = workflow::blob{document_of(params, "payload")};
  s.content_type = text_of(params, "content_type", s.content_type);
  s.reply_to = text_of(params, "reply_to", "");
  if (params.contains("priority"))
    s.priority = number_of(params, "priority", std::uint8_t{0}, std::uint8_t{0}, workflow::priority_max);
  s.not_before = moment_of(params, "not_before_ms", s.not_before);
  return s;
}

json result_of(const std::string& id, const actors::receipt& r) {
  switch (r.result) {
    case store::verdict::applied:
      return {{"id", id},
              {"created", r.created},
              {"number", r.number},
              {"process_state", std::string{workflow::to_string(r.state)}}};
    case store::verdict::full: throw control_error{control_error::busy, r.why, r.retry_after};
    case store::verdict::absent: throw control_error{control_error::not_found, r.why};
    case store::verdict::unknown_outcome: throw control_error{control_error::timed_out, r.why};
    default: throw control_error{control_error::refused, r.why};
  }
}

/// Many submissions wait for one commit, so none of them keeps a thread.
void submit(const control_context& c, const json& params, const control_reply& reply) {
  auto s = submission_of(params);
  const auto ask = [gateway = c.parts.gateway, id = s.id, what = actors::boxed<workflow::submission>{std::move(s)},
                    reply](caf::event_based_actor* self) {
    actors::ask(self, gateway, control_context::reply_limit, what)
      .then([reply, id](const actors::receipt& r) { reply([&] { return result_of(id, r); }); },
            [reply](const caf::error& e) { reply([&]() -> json { throw control_context::error_of(e); }); });
  };
  c.sys.spawn(ask);
}

// ---- tasks ----

} // namespace

actors::task_view view_of(const control_context& c, const std::string& id) {
  auto view = c.ask<actors::task_view>(c.parts.gateway, actors::show_task{id});
  if (!view.damage.empty())
    throw control_error{control_error::refused, "the task `" + id + "` was set aside because its records are damaged ("
                                                  + view.damage
                                                  + "): restore a copy of the store to get it back, or submit the work "
                                                    "under another id"};
  if (!view.task || !view.definition)
    throw control_error{control_error::not_found, "there is no task `" + id + "`"};
  return view;
}

namespace {

json show_task(const control_context& c, const json& params) {
  const auto view = view_of(c, text_of(params, "id"));
  json late = json::array();
  for (const auto& reply : view.late_replies)
    late.push_back(late_reply_json(*reply));
  return {{"task", task_json(*view.task, *view.definition)},
          {"explanation", explanation_json(workflow::explain(*view.task, *view.definition, c.clock()))},
          {"late_replies", late}};
}

json planned_step(const workflow::task& t, const workflow::definition& d, std::size_t i) {
  return {{"step", d.steps[i].name}, {"state", std::string{workflow::to_string(t.steps[i].state)}}};
}

/// What an undo begun now would do, in its order, and what it would leave.
json plan_undo(const control_context& c, const json& params) {
  const auto view = view_of(c, text_of(params, "id"));
  const auto& t = *view.task;
  const auto& d = *view.definition;
  const auto request = text_of(params, "act", "undo") == "cancel" ? workflow::event{workflow::cancelled{}}
                                                                  : workflow::event{workflow::undo_requested{}};
  const auto plan = workflow::plan_undo(t, d, request, c.clock());
  json undone = json::array();
  for (const auto i : plan.undone) {
    undone.push_back(planned_step(t, d, i));
    undone.back()["agent"] = d.steps[i].compensation->agent;
    if (t.steps[i].state == workflow::step_state::compensation_failed)
      undone.back()["failed"] = workflow::failure_told(t.steps[i]);
  }
  json left = json::array();
  for (const auto i : plan.left) {
    left.push_back(planned_step(t, d, i));
    left.back()["why"] = d.steps[i].compensation ? "its compensation failed" : "it has no compensation";
  }
  return {{"id", t.id},
          {"process_state", std::string{workflow::to_string(t.state)}},
          {"refused", plan.refused},
          {"undone", undone},
          {"left", left}};
}

json task_state(const control_context& c, const json& params) {
  const auto view = view_of(c, text_of(params, "id"));
  json answer{{"process_state", std::string{workflow::to_string(view.task->state)}}, {"cause", view.task->cause}};
  if (!view.definition->result.empty())
    answer["result"] = document_json(actors::result_of(*view.task, *view.definition));
  return answer;
}

json act_on_task(const control_context& c, const json& params) {
  actors::act_on_task question;
  question.id = text_of(params, "id");
  question.act = act_of(params);
  question.step = text_of(params, "step", "");
  question.document = document_of(params, "document");
  question.new_key = flag_of(params, "new_key", false);
  question.who = text_of(params, "who");
  question.why = text_of(params, "why", "");
  const auto r = c.ask<actors::act_result>(c.parts.gateway, question);
  if (!r.done) {
    view_of(c, question.id); // throws if there is none
    throw control_error{control_error::refused, r.why};
  }
  return {{"process_state", std::string{workflow::to_string(r.state)}}};
}

// ---- the rest of the store ----

template <class Entry, class Render>
json list_of(const std::vector<actors::boxed<Entry>>& entries, Render render) {
  json out = json::array();
  for (const auto& e : entries)
    out.push_back(render(*e));
  return out;
}

json list_late_replies(const control_context& c, const json& params) {
  const actors::list_late_replies question{static_cast<std::uint32_t>(max_of(params))};
  const auto page = c.ask<actors::late_reply_page>(c.parts.reader, question);
  return {{"late_replies", list_of(page.late_replies, late_reply_json)}};
}

json show_workflow(const control_context& c, const json& params) {
  const auto name = text_of(params, "name");
  const auto version = number_of(params, "version", 0U);
  actors::boxed<workflow::definition> newest;
  for (const auto& d : workflows(c).definitions)
    if (d->name == name && (version == 0 ? !newest || d->version > newest->version : d->version == version))
      newest = d;
  if (!newest)
    throw control_error{control_error::not_found, "there is no workflow `" + name + "`"};
  return {{"workflow", definition_json(*newest)}};
}

void expect_object(const json& params) {
  if (!params.is_object())
    throw control_error{control_error::invalid_params, "params must be an object"};
}

using names = std::vector<std::string>;

/// A misspelt parameter would otherwise be a default that nobody asked for.
void expect_known(const json& params, const names& known) {
  expect_object(params);
  for (const auto& [name, value] : params.items())
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      const auto meant = runtime::nearest(name, known);
      std::string all;
      for (const auto& k : known)
        all += (all.empty() ? "; there are " : ", ") + k;
      throw control_error{control_error::invalid_params, "there is no parameter " + workflow::quoted(name)
                                                           + (meant ? "; did you mean `" + *meant + "`?" : all)};
    }
}

names with(names more, const names& others) {
  more.insert(more.end(), others.begin(), others.end());
  return more;
}

json run(json (*method)(const control_context&, const json&), const control_context& c, const json& params) {
  try {
    return method(c, params);
  } catch (const store::store_error& e) { // about a file that it was asked to read or write
    throw control_error{control_error::refused, e.what()};
  }
}

} // namespace

actors::workflow_page workflows(const control_context& c) {
  return c.ask<actors::workflow_page>(c.parts.reader, actors::list_workflows{});
}

std::string document_of(const json& params, const char* name) {
  if (!params.contains(name))
    return {};
  return params[name].is_string() ? params[name].get<std::string>() : json_line(params[name]);
}

actors::task_act act_of(const json& params) {
  const auto name = text_of(params, "act");
  const auto act = workflow::parse_task_act(name);
  if (!act)
    throw control_error{control_error::invalid_params, "act: there is no `" + name + "`"};
  return *act;
}

workflow::instant moment_of(const json& params, const char* name, workflow::instant absent) {
  return workflow::instant{workflow::span{number_of(params, name, absent.time_since_epoch().count())}};
}

std::size_t max_of(const json& params) {
  constexpr std::size_t page_max = 1000;
  return std::min(number_of(params, "max", std::size_t{100}), page_max);
}

std::string text_of(const json& params, const char* name) {
  if (!params.contains(name) || !params[name].is_string())
    throw control_error{control_error::invalid_params, std::string{"`"} + name + "` must be a text"};
  const auto& text = params[name].get_ref<const std::string&>();
  if (const auto max = size_max_of(name); text.size() > max)
    throw control_error{control_error::invalid_params, std::string{"`"} + name + "` has " + std::to_string(text.size())
                                                         + " bytes and may have " + std::to_string(max)};
  return text;
}

std::string text_of(const json& params, const char* name, const std::string& absent) {
  return params.contains(name) ? text_of(params, name) : absent;
}

bool flag_of(const json& params, const char* name, bool absent) {
  const auto found = params.find(name);
  if (found != params.end() && !found->is_boolean())
    throw control_error{control_error::invalid_params, std::string{"`"} + name + "` must be true or false"};
  return found == params.end() ? absent : found->get<bool>();
}

void require(const json& params, const char* name) {
  if (!params.contains(name))
    throw control_error{control_error::invalid_params, std::string{"`"} + name + "` is missing"};
}

store::outcome control_context::outcome_of(store::write what) const {
  actors::write_request request;
  request.what = actors::boxed<store::write>{std::move(what)};
  caf::scoped_actor self{sys};
  self->send(parts.writer, actors::write_requests{{std::move(request)}});
  std::optional<store::outcome> outcome;
  self->receive([&](const actors::writes_done& m) { outcome = *m.all.at(0).outcome; },
                caf::after(reply_limit) >> [] {});
  if (!outcome || outcome->result == store::verdict::unknown_outcome)
    throw control_error{control_error::timed_out, "the store did not answer; the outcome is unknown"};
  if (outcome->result == store::verdict::full)
    throw control_error{control_error::busy, outcome->why, retry_when_away};
  return *std::move(outcome);
}

void record_act(const control_context& c, const json& params, const std::string& what) {
  const auto who = text_of(params, "who");
  const auto why = text_of(params, "why", "");
  log_line("info", who + " " + what + (why.empty() ? "" : ": " + why));
  c.write(store::record_act{who, what, why, {}});
}

control_methods methods_of(caf::actor_system& sys, const node_parts& parts) {
  const auto is_store_read_whole = std::make_shared<std::atomic<bool>>(false);
  control_methods m;
  const auto add = [&](const char* name, json (*method)(const control_context&, const json&), const names& params) {
    m[name] = [&sys, &parts, is_store_read_whole, method, params](const json& given) {
      expect_known(given, params);
      return run(method, control_context{sys, parts, *is_store_read_whole}, given);
    };
  };
  m["submit"] = [&sys, &parts, is_store_read_whole](const json& params, const control_reply& reply) {
    expect_known(params,
                 {"id", "workflow", "version", "payload", "content_type", "reply_to", "priority", "not_before_ms"});
    submit({sys, parts, *is_store_read_whole}, params, reply);
  };
  add("task.show", show_task, {"id"});
  add("task.state", task_state, {"id"});
  add("task.list", list_tasks, with({"before", "max", "sort", "reverse"}, task_filter_params()));
  add("task.count", count_tasks, with({"limit", "by"}, task_filter_params()));
  add("task.in_place", list_in_place, with({"all", "before", "max"}, task_filter_params()));
  add("task.act", act_on_task, {"id", "act", "step", "document", "new_key", "who", "why"});
  add("task.stuck", list_standstill, {});
  add("task.plan_undo", plan_undo, {"id", "act"});
  add("alerts.list", list_alerts,
      {"all", "incident", "kind", "step", "task", "text", "before_ms", "after_ms", "before", "max"});
  add("alerts.ack", acknowledge_alert, {"alert", "who"});
  add("incident.list", list_incidents, {"all", "before", "max"});
  add("incident.show", show_incident, {"incident"});
  add("incident.act", act_on_incident, {"incident", "act", "until_ms", "who", "why"});
  add("bulk.start", start_bulk,
      with({"act", "step", "document", "new_key", "who", "why", "where", "dry_run"}, task_filter_params()));
  add("bulk.list", list_bulk_acts, {"all", "before", "max"});
  add("bulk.show", show_bulk_act, {"bulk"});
  add("bulk.stop", stop_bulk, {"bulk", "who", "why"});
  add("workflow.list",
      [](const control_context& c, const json&) -> json {
        return {{"workflows", list_of(workflows(c).definitions, definition_json)}};
      },
      {});
  add("workflow.show", show_workflow, {"name", "version"});
  add("lease.list", list_leases, {});
  add("lease.release", release_lease, {"name", "who", "why"});
  add("actor.list", list_actors, {"node", "kind"});
  add("actor.show", show_actor, {"id", "max"});
  add("agent.list", list_agents, {"node", "agent"});
  add("circuit.set", set_circuit, {"agent", "open", "who", "why"});
  add("node.drain", drain_node, {"node", "limit_ms", "who", "why"});
  add("late.list", list_late_replies, {"max"});
  add("node.describe", describe_node, {});
  add("node.list", list_nodes, {});
  add("store.stats", show_store_stats, {});
  add("store.check", check_store, {});
  add("store.copy", copy_store, {"to"});
  add("store.export", export_task, {"id", "to"});
  add("store.import", import_task, {"from", "who", "why"});
  return m;
}

} // namespace steadfast
