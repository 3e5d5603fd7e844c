#include "runtime/control_methods.hpp"

#include "runtime/json.hpp"
#include "runtime/node.hpp"
#include "runtime/time_text.hpp"
#include "workflow/explain.hpp"

#include <caf/actor_system.hpp>
#include <caf/scoped_actor.hpp>

#include <optional>
#include <utility>

namespace steadfast {

namespace {

using nlohmann::json;

constexpr std::chrono::seconds reply_limit{20};
constexpr std::size_t page_max = 1000;

/// What the methods work with. The actors are asked from the thread that runs the method.
struct context {
  caf::actor_system& sys;
  const node_parts& parts;

  template <class Answer, class Handle, class Question>
  Answer ask(const Handle& actor, const Question& question) const {
    caf::scoped_actor self{sys};
    std::optional<Answer> answer;
    self->request(actor, reply_limit, question)
      .receive(
        [&](const Answer& a) { answer = a; },
        [](const caf::error&) {
          throw control_error{control_error::timed_out, "the node is too busy to answer; the outcome is unknown"};
        });
    return std::move(*answer);
  }

  workflow::instant now() const {
    caf::scoped_actor self{sys};
    return parts.clock.now(self.ptr());
  }
};

std::string text_of(const json& params, const char* name) {
  if (!params.contains(name) || !params[name].is_string())
    throw control_error{control_error::invalid_params, std::string{"`"} + name + "` must be a text"};
  return params[name];
}

std::size_t max_of(const json& params) {
  return std::min<std::size_t>(params.value("max", std::size_t{100}), page_max);
}

/// A document may be given as a JSON text in a string, or as the value itself.
std::string document_of(const json& params, const char* name) {
  if (!params.contains(name))
    return {};
  return params[name].is_string() ? params[name].get<std::string>() : params[name].dump();
}

// ---- submitting ----

workflow::submission submission_of(const json& params) {
  workflow::submission s;
  s.id = text_of(params, "id");
  s.workflow = text_of(params, "workflow");
  s.version = params.value("version", 0U);
  s.payload = workflow::blob{document_of(params, "payload")};
  s.content_type = params.value("content_type", s.content_type);
  s.reply_to = params.value("reply_to", std::string{});
  if (params.contains("priority"))
    s.priority = params["priority"].get<std::uint8_t>();
  if (params.contains("not_before_ms"))
    s.not_before = workflow::instant{workflow::span{params["not_before_ms"].get<std::int64_t>()}};
  return s;
}

json submit(const context& c, const json& params) {
  auto s = submission_of(params);
  const auto id = s.id;
  const auto r = c.ask<actors::receipt>(c.parts.gateway, actors::boxed<workflow::submission>{std::move(s)});
  switch (r.result) {
    case store::verdict::applied:
      return {{"id", id},
              {"created", r.created},
              {"number", r.number},
              {"process_state", std::string{workflow::to_string(r.state)}}};
    case store::verdict::full: throw control_error{control_error::busy, r.why, r.retry_after};
    case store::verdict::absent: throw control_error{control_error::not_found, r.why};
    default: throw control_error{control_error::refused, r.why};
  }
}

// ---- tasks ----

actors::task_view view_of(const context& c, const std::string& id) {
  auto view = c.ask<actors::task_view>(c.parts.gateway, actors::show_task{id});
  if (!view.task || !view.definition)
    throw control_error{control_error::not_found, "there is no task `" + id + "`"};
  return view;
}

json show_task(const context& c, const json& params) {
  const auto view = view_of(c, text_of(params, "id"));
  json late = json::array();
  for (const auto& reply : view.late_replies)
    late.push_back(late_reply_json(*reply));
  return {{"task", task_json(*view.task, *view.definition)},
          {"explanation", explanation_json(workflow::explain(*view.task, *view.definition, c.now()))},
          {"late_replies", late}};
}

json task_state(const context& c, const json& params) {
  const auto view = view_of(c, text_of(params, "id"));
  return {{"process_state", std::string{workflow::to_string(view.task->state)}}, {"cause", view.task->cause}};
}

store::task_filter filter_of(const json& params) {
  store::task_filter f;
  f.workflow = params.value("workflow", std::string{});
  f.locked_by = params.value("locked_by", std::string{});
  f.text = params.value("text", std::string{});
  for (const auto& name : params.value("states", std::vector<std::string>{})) {
    const auto state = workflow::parse_process_state(name);
    if (!state)
      throw control_error{control_error::invalid_params, "states: there is no state `" + name + "`"};
    f.states.push_back(*state);
  }
  if (params.contains("submitted_before_ms"))
    f.submitted_before = workflow::instant{workflow::span{params["submitted_before_ms"].get<std::int64_t>()}};
  if (params.contains("submitted_after_ms"))
    f.submitted_after = workflow::instant{workflow::span{params["submitted_after_ms"].get<std::int64_t>()}};
  return f;
}

json list_tasks(const context& c, const json& params) {
  actors::list_tasks question;
  question.filter = actors::boxed<store::task_filter>{filter_of(params)};
  question.before = params.value("before", std::uint64_t{0});
  question.max = static_cast<std::uint32_t>(max_of(params));
  const auto page = c.ask<actors::boxed<store::task_page>>(c.parts.gateway, question);
  json tasks = json::array();
  for (const auto& t : page->tasks)
    tasks.push_back(task_summary_json(t));
  return {{"tasks", tasks}, {"next", page->next ? json(*page->next) : json{}}};
}

json count_tasks(const context& c, const json& params) {
  constexpr std::size_t limit = 10'000'000;
  return {{"count", c.parts.store->count(filter_of(params), params.value("limit", limit))}};
}

actors::task_act act_of(const std::string& name) {
  static const std::map<std::string, actors::task_act> acts{
    {"retry", actors::task_act::retry},   {"skip", actors::task_act::skip},     {"edit", actors::task_act::edit},
    {"undo", actors::task_act::undo},     {"cancel", actors::task_act::cancel}, {"suspend", actors::task_act::suspend},
    {"resume", actors::task_act::resume},
  };
  const auto found = acts.find(name);
  if (found == acts.end())
    throw control_error{control_error::invalid_params, "act: there is no `" + name + "`"};
  return found->second;
}

json act_on_task(const context& c, const json& params) {
  actors::act_on_task question;
  question.id = text_of(params, "id");
  question.act = act_of(text_of(params, "act"));
  question.step = params.value("step", std::string{});
  question.document = document_of(params, "document");
  question.new_key = params.value("new_key", false);
  question.who = text_of(params, "who");
  question.why = params.value("why", std::string{});
  const auto r = c.ask<actors::act_result>(c.parts.gateway, question);
  if (!r.done)
    throw control_error{control_error::refused, r.why};
  return {{"process_state", std::string{workflow::to_string(r.state)}}};
}

// ---- the rest of the store ----

template <class Entry, class Render>
json list_of(const std::vector<Entry>& entries, Render render) {
  json out = json::array();
  for (const auto& e : entries)
    out.push_back(render(e));
  return out;
}

json acknowledge_alert(const context& c, const json& params) {
  store::acknowledge_alert what;
  what.alert = params.at("alert").get<std::uint64_t>();
  what.who = text_of(params, "who");
  what.now = c.now();
  actors::write_request request;
  request.what = actors::boxed<store::write>{store::write{what}};
  caf::scoped_actor self{c.sys};
  self->send(c.parts.writer, std::move(request));
  store::outcome outcome;
  bool answered = false;
  self->receive(
    [&](const actors::write_done& m) {
      outcome = *m.outcome;
      answered = true;
    },
    caf::after(reply_limit) >> [] {});
  if (!answered)
    throw control_error{control_error::timed_out, "the store did not answer; the outcome is unknown"};
  if (outcome.result != store::verdict::applied)
    throw control_error{control_error::not_found, outcome.why};
  return json::object();
}

json show_workflow(const context& c, const json& params) {
  const auto name = text_of(params, "name");
  const auto version = params.value("version", 0U);
  std::optional<workflow::definition> newest;
  for (auto& d : c.parts.store->definitions())
    if (d.name == name && (version == 0 ? !newest || d.version > newest->version : d.version == version))
      newest = std::move(d);
  if (!newest)
    throw control_error{control_error::not_found, "there is no workflow `" + name + "`"};
  return {{"workflow", definition_json(*newest)}};
}

// ---- the node itself ----

json agent_view_json(const actors::agent_view& v) {
  return {{"name", v.name},           {"kind", v.kind},
          {"circuit", v.circuit},     {"circuit_open_until", instant_json(v.circuit_open_until)},
          {"in_flight", v.in_flight}, {"in_flight_max", v.in_flight_max},
          {"queued", v.queued},       {"orders", v.orders},
          {"tries", v.tries},         {"succeeded", v.succeeded},
          {"failed", v.failed},       {"declined", v.declined},
          {"silenced", v.silenced}};
}

json describe_node(const context& c, const json&) {
  const auto scheduler = c.ask<actors::scheduler_view>(c.parts.scheduler, actors::describe{});
  const auto supervisor = c.ask<actors::supervisor_view>(c.parts.supervisor, actors::describe{});
  const auto writer = c.ask<actors::store_view>(c.parts.writer, actors::describe{});
  json agents = json::array();
  for (const auto& [name, agent] : c.parts.agents)
    agents.push_back(agent_view_json(c.ask<actors::agent_view>(agent, actors::describe{})));
  return {
    {"scheduler",
     {{"name", scheduler.name},
      {"in_flight", scheduler.in_flight},
      {"in_flight_max", scheduler.in_flight_max},
      {"claimed", scheduler.claimed},
      {"dispatched", scheduler.dispatched},
      {"late", scheduler.late},
      {"draining", scheduler.draining}}},
    {"supervisor",
     {{"active", supervisor.active},
      {"epoch", supervisor.epoch},
      {"sweeps", supervisor.sweeps},
      {"reviewed", supervisor.reviewed},
      {"decided", supervisor.decided},
      {"last_sweep", instant_json(supervisor.last_sweep)}}},
    {"store",
     {{"commits", writer.commits},
      {"writes", writer.writes},
      {"largest_batch", writer.largest_batch},
      {"waiting", writer.waiting},
      {"last_commit_us", writer.last_commit_us}}},
    {"agents", agents},
  };
}

json copy_store(const context& c, const json& params) {
  c.parts.store->copy(text_of(params, "to"));
  return json::object();
}

} // namespace

control_methods methods_of(caf::actor_system& sys, const node_parts& parts) {
  const auto bound = [&sys, &parts](json (*method)(const context&, const json&)) -> control_method {
    return [&sys, &parts, method](const json& params) { return method(context{sys, parts}, params); };
  };
  control_methods m;
  m["submit"] = bound(submit);
  m["task.show"] = bound(show_task);
  m["task.state"] = bound(task_state);
  m["task.list"] = bound(list_tasks);
  m["task.count"] = bound(count_tasks);
  m["task.act"] = bound(act_on_task);
  m["alerts.list"] = bound([](const context& c, const json& p) -> json {
    return {{"alerts", list_of(c.parts.store->alerts(!p.value("all", false), max_of(p)), alert_json)}};
  });
  m["alerts.ack"] = bound(acknowledge_alert);
  m["workflow.list"] = bound([](const context& c, const json&) -> json {
    return {{"workflows", list_of(c.parts.store->definitions(), definition_json)}};
  });
  m["workflow.show"] = bound(show_workflow);
  m["lease.list"] = bound([](const context& c, const json&) -> json {
    return {{"leases", list_of(c.parts.store->leases(), lease_json)}};
  });
  m["late.list"] = bound([](const context& c, const json& p) -> json {
    return {{"late_replies", list_of(c.parts.store->late_replies({}, max_of(p)), late_reply_json)}};
  });
  m["node.describe"] = bound(describe_node);
  m["store.stats"] = bound([](const context& c, const json&) -> json { return stats_json(c.parts.store->stats()); });
  m["store.check"] = bound([](const context& c, const json&) -> json { return check_json(c.parts.store->check()); });
  m["store.copy"] = bound(copy_store);
  return m;
}

} // namespace steadfast
