// Tasks found among many: lists, counts.

#include "runtime/control/control_context.hpp"
#include "runtime/text/hex.hpp"
#include "runtime/text/json.hpp"
#include "workflow/definition/payload_index.hpp"
#include "workflow/on_call/finding.hpp"
#include "workflow/task/in_place.hpp"
#include "workflow/text/name.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <utility>

namespace steadfast {

namespace {

using nlohmann::json;

/// Whether tasks of that workflow, or of any if none is named, are found by the place. The newest version of a workflow
/// counts.
bool has_index(const std::vector<actors::boxed<workflow::definition>>& all, const std::string& workflow,
               const std::string& place) {
  const workflow::definition* newest = nullptr;
  for (const auto& d : all) {
    const bool has = std::find(d->index.begin(), d->index.end(), place) != d->index.end();
    if (workflow.empty() && has)
      return true;
    if (d->name == workflow && (!newest || d->version > newest->version))
      newest = &*d;
  }
  return newest && std::find(newest->index.begin(), newest->index.end(), place) != newest->index.end();
}

/// `{"/customer": "c-77"}`
std::vector<workflow::payload_value> payload_of(const control_context& c, const api::arguments& params,
                                                const std::string& workflow) {
  std::vector<workflow::payload_value> values;
  const auto& given = params.value("payload");
  if (given.empty())
    return values;
  const auto all = workflows(c).definitions;
  for (const auto& [place, value] : given.items()) {
    if (!has_index(all, workflow, place))
      throw api::error{
        api::error::invalid_params,
        (workflow.empty() ? "no workflow" : "the newest version of workflow " + workflow::quoted(workflow))
          + (workflow.empty() ? " has" : " does not have") + " an index on " + workflow::quoted("payload:" + place)
          + ": add it to `index` of the workflow's file under a new version; tasks that are submitted "
            "from then on are found by it"};
    if (value.get_ref<const std::string&>().size() > workflow::index_value_size_max)
      throw api::error{api::error::invalid_params, "`payload`: the index has no values above "
                                                     + std::to_string(workflow::index_value_size_max) + " bytes"};
    values.push_back({place, value.get<std::string>()});
  }
  return values;
}

/// The number of what the parameter names, which is one of its choices; 0 if it is not given.
template <class Enum>
std::uint8_t name_of(const api::arguments& params, const char* parameter,
                     std::optional<Enum> (*parse)(std::string_view)) {
  return params.has(parameter) ? static_cast<std::uint8_t>(parse(params.text(parameter)).value()) : std::uint8_t{0};
}

/// Where the next page begins: as `before`. A number, or with an order "NUMBER-KEY", the key in hexadecimal digits.
json next_of(const store::task_page& page) {
  if (!page.next || page.next_key.empty())
    return page.next ? json(*page.next) : json{};
  return std::to_string(*page.next) + '-' + runtime::hex_of(page.next_key);
}

bool read_sorted_position(std::string_view text, actors::list_tasks& into) {
  const auto* const end = text.data() + text.size();
  auto [at, error] = std::from_chars(text.data(), end, into.before);
  if (error != std::errc{} || at == end || *at++ != '-')
    return false;
  auto key = runtime::bytes_of_hex({at, static_cast<std::size_t>(end - at)});
  if (key)
    into.before_key = *std::move(key);
  return key.has_value();
}

void read_position(const api::arguments& params, actors::list_tasks& into) {
  const auto& before = params.value("before");
  if (into.order == 0 || !before.is_string())
    into.before = params.number("before");
  else if (!read_sorted_position(before.get_ref<const std::string&>(), into))
    throw api::error{api::error::invalid_params, "`before` must be what `next` was on the page before"};
}

json group_json(const actors::task_group& g, bool is_hour) {
  json states = json::object();
  for (std::size_t i = 0; i < g.states.size(); ++i)
    if (g.states[i] > 0)
      states[std::string{workflow::to_string(static_cast<workflow::process_state>(i))}] = g.states[i];
  json name = g.name.empty() ? json{} : json(g.name);
  if (is_hour)
    name = instant_json(workflow::instant{workflow::span{std::stoll(g.name)}});
  return {{"group", name},
          {"count", g.count},
          {"states", states},
          {"oldest", instant_json(g.oldest)},
          {"newest", instant_json(g.newest)}};
}

/// All effects in place of a task whose undo failed; those of others only on request.
void add_effects(const workflow::task& t, const workflow::definition& d, bool all, json& to) {
  const auto effects = workflow::effects_in_place(t, d);
  const bool has_failed_undo = std::any_of(effects.begin(), effects.end(),
                                           [](const auto& x) { return x.why == workflow::kept_because::undo_failed; });
  if (!has_failed_undo && !all)
    return;
  for (const auto& x : effects)
    to.push_back({{"task", t.id},
                  {"workflow", t.workflow},
                  {"process_state", std::string{workflow::to_string(t.state)}},
                  {"step", d.steps[x.step].name},
                  {"agent", x.agent},
                  {"key", x.key},
                  {"since", instant_json(x.since)},
                  {"certain", x.is_certain},
                  {"why", std::string{workflow::to_string(x.why)}},
                  {"failure", x.failure}});
}

/// The tasks of the alerts of an incident that hold: a page of alerts is a page of tasks.
json list_tasks_of_incident(const control_context& c, const api::arguments& params) {
  for (const auto& [name, value] : params.given().items())
    if (name != "incident" && name != "before" && name != "max")
      throw api::error{
        api::error::invalid_params,
        "`incident` goes with no other filter and no order: its tasks come by their alerts, the newest first",
        {},
        name};
  store::alert_filter filter;
  filter.incident = params.number("incident");
  actors::find_alerts question;
  question.filter = actors::boxed<store::alert_filter>{std::move(filter)};
  question.before = params.number("before");
  question.max = static_cast<std::uint32_t>(max_of(params));
  const auto page = c.ask<actors::boxed<store::alert_list>>(c.parts.reader, question);
  std::set<std::uint64_t> seen;
  json tasks = json::array();
  for (const auto& a : page->alerts)
    if (a.task_number != 0 && seen.insert(a.task_number).second)
      if (const auto view = c.ask<actors::task_view>(c.parts.reader, actors::find_task{a.task_number}); view.task)
        tasks.push_back(task_summary_json(*view.task));
  return {{"tasks", tasks}, {"next", page->next ? json(*page->next) : json{}}};
}

} // namespace

store::task_filter task_filter_of(const control_context& c, const api::arguments& params) {
  store::task_filter f;
  f.workflow = params.text("workflow");
  f.locked_by = params.text("locked_by");
  f.text = params.text("text");
  f.agent = params.text("agent");
  for (const auto& name : params.value("states"))
    f.states.push_back(workflow::parse_process_state(name.get<std::string>()).value()); // one of its choices
  f.submitted_before = moment_of(params, "submitted_before_ms", f.submitted_before);
  f.submitted_after = moment_of(params, "submitted_after_ms", f.submitted_after);
  f.ended_before = moment_of(params, "ended_before_ms", f.ended_before);
  f.ended_after = moment_of(params, "ended_after_ms", f.ended_after);
  f.step = params.text("step");
  f.cause = params.text("cause");
  f.payload = payload_of(c, params, f.workflow);
  return f;
}

json list_tasks(const control_context& c, const api::arguments& params) {
  if (params.has("incident"))
    return list_tasks_of_incident(c, params);
  actors::list_tasks question;
  question.filter = actors::boxed<store::task_filter>{task_filter_of(c, params)};
  question.order = name_of(params, "sort", workflow::parse_task_order);
  question.is_reversed = params.flag("reverse");
  if (question.is_reversed && question.order == 0)
    question.order = static_cast<std::uint8_t>(workflow::task_order::submitted);
  read_position(params, question);
  question.max = static_cast<std::uint32_t>(max_of(params));
  const auto page = c.ask<actors::boxed<store::task_page>>(c.parts.gateway, question);
  json tasks = json::array();
  for (const auto& t : page->tasks)
    tasks.push_back(task_summary_json(t));
  return {{"tasks", tasks}, {"next", next_of(*page)}};
}

json count_tasks(const control_context& c, const api::arguments& params) {
  actors::count_tasks question;
  question.filter = actors::boxed<store::task_filter>{task_filter_of(c, params)};
  question.limit = params.number("limit");
  question.by = name_of(params, "by", workflow::parse_task_grouping);
  const auto counted = c.ask<actors::task_count>(c.parts.reader, question);
  json answer{{"count", counted.count}};
  if (question.by == 0)
    return answer;
  answer["groups"] = json::array();
  for (const auto& g : counted.groups)
    answer["groups"].push_back(group_json(g, question.by == static_cast<std::uint8_t>(workflow::task_grouping::hour)));
  answer["in_no_group"] = counted.in_no_group;
  return answer;
}

json look_through(const control_context& c, store::task_filter filter, std::uint64_t before,
                  const std::function<bool(const workflow::task&)>& use) {
  constexpr std::size_t looked_at_max = 10'000; // of one call
  actors::list_tasks question;
  question.filter = actors::boxed<store::task_filter>{std::move(filter)};
  question.before = before;
  question.max = 500;
  for (std::size_t looked_at = 0;;) {
    const auto page = c.ask<actors::boxed<store::task_page>>(c.parts.gateway, question);
    for (const auto& t : page->tasks) {
      if (!use(t))
        return question.before;
      question.before = t.number;
    }
    looked_at += page->tasks.size();
    if (!page->next)
      return nullptr;
    question.before = *page->next;
    if (looked_at >= looked_at_max)
      return question.before;
  }
}

json list_in_place(const control_context& c, const api::arguments& params) {
  const bool all = params.flag("all");
  const auto max = max_of(params);
  std::map<std::pair<std::string, std::uint32_t>, actors::boxed<workflow::definition>> definitions;
  for (const auto& d : workflows(c).definitions)
    definitions[{d->name, d->version}] = d;

  auto filter = task_filter_of(c, params);
  if (filter.states.empty())
    filter.states = {workflow::process_state::error};
  if (all)
    filter.states.push_back(workflow::process_state::undone);
  json found = json::array();
  auto next = look_through(c, std::move(filter), params.number("before"), [&](const workflow::task& t) {
    if (found.size() >= max)
      return false;
    if (const auto d = definitions.find({t.workflow, t.version}); d != definitions.end())
      add_effects(t, *d->second, all, found);
    return true;
  });
  return {{"in_place", found}, {"next", std::move(next)}};
}

} // namespace steadfast
