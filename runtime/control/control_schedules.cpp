// Schedules: what makes tasks at moments of its own.

#include "api/methods.hpp"
#include "api/names.hpp"
#include "runtime/assembly/limit_log.hpp"
#include "runtime/configuration/schedule_file.hpp"
#include "runtime/control/control_context.hpp"
#include "runtime/control/older_nodes.hpp"
#include "runtime/text/json.hpp"
#include "runtime/toml/config_error.hpp"
#include "workflow/text/name.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string>

namespace steadfast {

namespace {

using nlohmann::json;

constexpr std::size_t next_moments_shown = 10;

json span_json(workflow::span s) {
  return s.count();
}

json moments_json(const std::vector<workflow::instant>& all) {
  json list = json::array();
  for (const auto t : all)
    list.push_back(instant_json(t));
  return list;
}

json definition_of_schedule(const workflow::schedule& s) {
  json j{{"name", s.name},
         {"workflow", s.workflow},
         {"version", s.version},
         {"zone", s.zone},
         {"overlap", std::string{workflow::to_string(s.rule)}},
         {"jitter_ms", span_json(s.jitter)},
         {"catch_up_ms", span_json(s.catch_up)},
         {"catch_up_max", s.catch_up_max}};
  if (s.cron.empty())
    j["every_ms"] = span_json(s.every);
  else
    j["cron"] = s.cron;
  if (s.priority)
    j["priority"] = *s.priority;
  return j;
}

/// `last`: the state of its last task; nothing: there is no such task any more.
json schedule_json(const workflow::schedule_state& s, workflow::instant now, std::size_t next) {
  auto j = definition_of_schedule(s.what);
  j["file"] = s.file;
  j["is_paused"] = !s.paused_by.empty();
  j["next"] = moments_json(workflow::next_starts(s, now, next));
  j["queued"] = instant_json(s.queued);
  j["last_task"] = s.last_id;
  j["tasks_made"] = s.made;
  if (!s.paused_by.empty())
    j["paused"] = {{"by", s.paused_by}, {"why", s.paused_why}, {"at", instant_json(s.paused_at)}};
  return j;
}

json notes_json(const workflow::schedule_state& s) {
  json list = json::array();
  for (auto n = s.notes.rbegin(); n != s.notes.rend(); ++n)
    list.push_back({{"moment", instant_json(n->moment)},
                    {"at", instant_json(n->at)},
                    {"fate", std::string{workflow::to_string(n->fate)}},
                    {"text", n->text}});
  return list;
}

std::vector<workflow::schedule_state> found(const control_context& c, const actors::list_schedules& question) {
  expect_known(c, workflow::knowledge::schedules, "schedules");
  std::vector<workflow::schedule_state> all;
  for (const auto& s : c.ask<actors::schedule_page>(c.parts.reader, question).schedules)
    all.push_back(*s);
  return all;
}

workflow::schedule_state one_schedule(const control_context& c, const std::string& name) {
  auto all = workflow::is_name(name) ? found(c, {name, {}, 1}) : std::vector<workflow::schedule_state>{};
  if (all.empty())
    throw api::error{api::error::not_found, "there is no schedule " + workflow::quoted(name)};
  return std::move(all.front());
}

/// Why nothing of it runs now, in a sentence; of one of which something does, what.
std::string told_of(const workflow::schedule_state& s, const std::optional<workflow::process_state>& last) {
  const auto state = last ? std::string{workflow::to_string(*last)} : std::string{};
  const bool is_open = last && workflow::is_unfinished(*last);
  const auto task = "task " + workflow::quoted(s.last_id) + " is " + state;
  std::string text;
  if (!s.paused_by.empty())
    text = "it was paused by " + s.paused_by + (s.paused_why.empty() ? "" : ": " + s.paused_why);
  else if (is_open && s.queued != workflow::unset)
    text = "a moment waits for the end of " + workflow::quoted(s.last_id) + ", which is " + state;
  else if (is_open && s.what.rule == workflow::overlap::skip)
    text = task + ": moments before its end are skipped";
  else if (is_open)
    text = task;
  else
    text = "it waits for its next moment";
  if (is_open && !s.paused_by.empty())
    text += "; " + task;
  return text;
}

std::optional<workflow::process_state> state_of_last(const control_context& c, const workflow::schedule_state& s) {
  if (s.last_id.empty())
    return std::nullopt;
  const auto view = c.ask<actors::task_view>(c.parts.gateway, actors::show_task{s.last_id});
  return view.task ? std::optional{view.task->state} : std::nullopt;
}

template <class Write>
store::answer<Write> written(const control_context& c, Write w) {
  expect_known(c, workflow::knowledge::schedules, "schedules");
  auto o = c.write(std::move(w));
  if (o.result != store::write_status::applied)
    throw control_context::error_of(o.result, o.why);
  return o;
}

workflow::schedule schedule_of(const api::arguments& fields) {
  const auto length = [&](const char* name) { return workflow::span{fields.number<std::int64_t>(name)}; };
  workflow::schedule s;
  s.name = fields.text("name");
  s.workflow = fields.text("workflow");
  s.version = fields.number<std::uint32_t>("version");
  s.cron = fields.text("cron");
  s.every = length("every_ms");
  s.zone = fields.text("zone");
  s.jitter = length("jitter_ms");
  s.rule = workflow::parse_overlap(fields.text("overlap")).value(); // one of its choices
  if (fields.has("catch_up_ms"))
    s.catch_up = length("catch_up_ms");
  if (fields.has("catch_up_max"))
    s.catch_up_max = fields.number<std::uint32_t>("catch_up_max");
  if (fields.has("priority"))
    s.priority = fields.number<std::uint8_t>("priority");
  s.payload = workflow::blob{document_of(fields, "payload")};
  s.moment_as = fields.text("moment_as");
  return s;
}

/// Of the file that is given, or the one that is given by itself.
std::vector<workflow::schedule> schedules_in(const api::arguments& params) {
  if (params.has("schedule") == params.has("text"))
    throw api::error{api::error::invalid_params, "give either `text` or `schedule`", {}, "text"};
  if (params.has("schedule"))
    return {schedule_of(api::arguments{api::fields_of_schedule(), params.value("schedule")})};
  try {
    return parse_schedules(params.text("text"), "text");
  } catch (const runtime::config_error& e) {
    throw api::error{api::error::invalid_params, e.what(), {}, "text"};
  }
}

} // namespace

json list_schedules(const control_context& c, const api::arguments& params) {
  const auto max = max_of(params);
  const auto now = c.clock().now;
  json list = json::array();
  const auto all = found(c, {{}, params.text("after"), static_cast<std::uint32_t>(max)});
  for (const auto& s : all)
    list.push_back(schedule_json(s, now, 1));
  return {{"schedules", list}, {"next", all.size() == max ? json(all.back().what.name) : json()}};
}

json show_schedule(const control_context& c, const api::arguments& params) {
  const auto s = one_schedule(c, params.text("name"));
  const auto count = params.number<std::size_t>("next");
  auto j = schedule_json(s, c.clock().now, count == 0 ? next_moments_shown : count);
  j["payload"] = document_json(s.what.payload.view());
  j["moment_as"] = s.what.moment_as;
  j["text"] = told_of(s, state_of_last(c, s));
  j["moments"] = notes_json(s);
  return {{"schedule", j}};
}

json put_schedules(const control_context& c, const api::arguments& params) {
  const auto all = schedules_in(params);
  if (all.empty())
    throw api::error{api::error::invalid_params, "there is no [[schedule]] in it", {}, "text"};
  for (const auto& s : all) // all or none
    written(c, store::put_schedule{s, {}, {}, true});
  json names = json::array();
  json changed = json::array();
  for (const auto& s : all) {
    names.push_back(s.name);
    if (!written(c, store::put_schedule{s, {}, {}}).changed)
      continue;
    record_done(c, params, "put schedule " + workflow::quoted(s.name));
    log_limit_warnings(c.parts.own->get(), s.name);
    changed.push_back(s.name);
  }
  return {{"names", names}, {"changed", changed}};
}

json act_on_schedule(const control_context& c, const api::arguments& params) {
  static const std::map<std::string, store::schedule_act> acts{{"pause", store::schedule_act::pause},
                                                               {"resume", store::schedule_act::resume},
                                                               {"run", store::schedule_act::run},
                                                               {"remove", store::schedule_act::remove}};
  store::act_on_schedule w;
  w.name = params.text("name");
  w.act = acts.at(params.text("act"));
  w.who = params.text("who");
  w.why = params.text("why");
  const auto name = w.name;
  const auto is_run = w.act == store::schedule_act::run;
  const auto o = written(c, std::move(w));
  json j{{"name", name}};
  if (is_run) {
    j["task"] = workflow::task_id_of(name, o.next);
    j["is_queued"] = o.made == 0;
  }
  return j;
}

} // namespace steadfast
