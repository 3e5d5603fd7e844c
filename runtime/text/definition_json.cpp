#include "runtime/text/json.hpp"
#include "runtime/text/quantity.hpp"
#include "workflow/definition/item_workflow.hpp"
#include "workflow/definition/wait_end.hpp"

namespace steadfast {

using nlohmann::json;

namespace {

using runtime::span_text;

json source_json(const workflow::source& s) {
  switch (s.from) {
    case workflow::source::kind::payload: return "payload:" + s.pointer;
    case workflow::source::kind::result: return s.step + ":" + s.pointer;
    case workflow::source::kind::item: return "item:" + s.pointer;
    case workflow::source::kind::literal: break;
  }
  return {{"literal", document_json(s.literal)}};
}

json input_json(const workflow::input_mapping& input) {
  json members = json::object();
  for (const auto& m : input)
    members[m.name] = m.optional ? json{{"from", source_json(m.value)}, {"optional", true}} : source_json(m.value);
  return members;
}

/// Nothing is said of an input that is all of the payload, or the item. `Part` is a step or a compensation.
template <class Part>
void add_input(json& j, const Part& what) {
  if (!workflow::is_without_input(what))
    j["input"] = input_json(what.input);
}

json result_json(const workflow::result_mapping& r) {
  return r.value ? source_json(*r.value) : input_json(r.members);
}

json retry_json(const workflow::retry_policy& r) {
  return {
    {"attempts", r.attempts},  {"initial", span_text(r.initial)},    {"factor", r.factor_percent / 100.0},
    {"cap", span_text(r.cap)}, {"jitter", r.jitter_percent / 100.0},
  };
}

json condition_json(const workflow::condition& c) {
  using test = workflow::condition::test;
  if (c.is == test::negated)
    return {{"not", condition_json(c.parts.front())}};
  if (workflow::is_made_of_parts(c)) {
    json parts = json::array();
    for (const auto& part : c.parts)
      parts.push_back(condition_json(part));
    return {{c.is == test::all ? "all" : "any", std::move(parts)}};
  }
  json j{{"pointer", c.pointer}};
  if (!c.step.empty()) // else it is about the step's own result
    j["step"] = c.step;
  if (c.is == test::present || c.is == test::absent)
    j["present"] = c.is == test::present;
  else
    j[std::string{workflow::name_of_comparison(c.is)}] = document_json(c.literal);
  return j;
}

/// As a file says it.
std::string until_text(const workflow::wait_rule& w) {
  const auto at = source_json(w.at);
  const auto text =
    w.at.from == workflow::source::kind::literal ? at["literal"].get<std::string>() : at.get<std::string>();
  return w.what == workflow::wait_rule::kind::next ? workflow::text_of_next(w, text) : text;
}

json event_json(const workflow::wait_rule& w) {
  json j{{"event", w.name}, {"limit", span_text(w.length)}, {"on_limit", w.passes_at_limit ? "pass" : "fail"}};
  if (w.at.from != workflow::source::kind::literal || w.at.literal != "\"\"")
    j["key"] = source_json(w.at);
  return j;
}

void add_question(json& j, const workflow::wait_rule& w) {
  j["agent"] = "person";
  j["question"] = w.question;
  j["choices"] = w.choices;
  j["role"] = w.name;
  j["limit"] = span_text(w.length);
  j["on_limit"] = w.passes_at_limit ? "pass" : "fail";
  if (w.remind_every > workflow::span{0})
    j["remind_every"] = span_text(w.remind_every);
}

void add_items(json& j, const workflow::step_definition& s) {
  const auto& w = *s.wait;
  j["for_each"] = source_json(w.at);
  j["at_a_time"] = w.at_a_time;
  j["may_fail"] = w.may_fail_is_percentage ? json(std::to_string(w.may_fail) + "%") : json(w.may_fail);
  if (!w.name.empty())
    j["workflow"] = w.name;
  if (!w.name.empty())
    add_input(j, s);
}

json waiting_step_json(const workflow::step_definition& s, json after) {
  json j{{"name", s.name}, {"after", std::move(after)}};
  if (s.wait->what == workflow::wait_rule::kind::sleep)
    j["sleep"] = span_text(s.wait->length);
  else if (s.wait->what == workflow::wait_rule::kind::event)
    j["wait"] = event_json(*s.wait);
  else if (s.wait->what == workflow::wait_rule::kind::person)
    add_question(j, *s.wait);
  else if (workflow::is_over_items(s))
    add_items(j, s);
  else if (workflow::starts_child(s))
    j.update({{"workflow", s.wait->name}, {"payload", source_json(s.wait->at)}});
  else
    j["until"] = until_text(*s.wait);
  if (s.when)
    j["when"] = condition_json(*s.when);
  return j;
}

json step_json(const workflow::definition& d, std::size_t i) {
  const auto& s = d.steps[i];
  json after = json::array();
  for (const auto p : workflow::predecessors(d, i))
    after.push_back(d.steps[p].name);
  if (s.wait && !workflow::has_item_workflow(s))
    return waiting_step_json(s, std::move(after));
  json j{
    {"name", s.name},
    {"agent", s.agent},
    {"after", after},
    {"complete_by", span_text(s.complete_by)},
    {"retry", retry_json(s.retry)},
    {"threshold", s.threshold},
    {"cool_off", {{"wait", span_text(s.cool_off.wait)}, {"count", s.cool_off.count}}},
    {"on_exhausted", s.exhausted == workflow::on_exhausted::undo ? "undo" : "error"},
  };
  add_input(j, s);
  if (workflow::is_over_items(s))
    add_items(j, s);
  if (s.repeat)
    j["repeat"] = {{"until", condition_json(s.repeat->until)},
                   {"every", span_text(s.repeat->every)},
                   {"at_most", s.repeat->at_most},
                   {"on_limit", s.repeat->passes_at_limit ? "pass" : "fail"}};
  if (s.expect)
    j.update({{"expect", condition_json(s.expect->is)}, {"on_unexpected", s.expect->retries ? "retry" : "fail"}});
  if (s.later) {
    j["later"] = {{"limit", span_text(s.later->limit)}};
    if (s.later->heartbeat > workflow::span{0})
      j["later"]["heartbeat"] = span_text(s.later->heartbeat);
  }
  if (s.when)
    j["when"] = condition_json(*s.when);
  if (s.compensation) {
    j["compensation"] = {{"agent", s.compensation->agent},
                         {"complete_by", span_text(s.compensation->complete_by)},
                         {"retry", retry_json(s.compensation->retry)}};
    add_input(j["compensation"], *s.compensation);
  }
  if (s.probe)
    j["probe"] = {{"agent", s.probe->agent}, {"complete_by", span_text(s.probe->complete_by)}};
  return j;
}

} // namespace

json definition_json(const workflow::definition& d) {
  json j{
    {"name", d.name},
    {"version", d.version},
    {"deadline", span_text(d.deadline)},
    {"undo_reserve", span_text(d.undo_reserve)},
    {"grace", span_text(d.grace)},
    {"alert_after", span_text(d.alert_after)},
    {"takeovers_max", d.takeovers_max},
    {"priority", d.priority},
    {"steps", json::array()},
  };
  if (!d.result.empty())
    j["result"] = result_json(d.result);
  for (const auto& place : d.index)
    j["index"].push_back("payload:" + place);
  if (d.limit) {
    j["limit"] = {{"key", "payload:" + d.limit->pointer}, {"at_a_time", d.limit->at_a_time}};
    if (d.limit->per > workflow::span{0})
      j["limit"]["per"] = span_text(d.limit->per);
  }
  for (std::size_t i = 0; i < d.steps.size(); ++i)
    j["steps"].push_back(step_json(d, i));
  return j;
}

} // namespace steadfast
