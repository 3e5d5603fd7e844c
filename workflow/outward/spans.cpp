#include "workflow/outward/spans.hpp"

#include <algorithm>

namespace steadfast::workflow {

namespace {

instant end_of(const attempt_record& a, const task& t) {
  return a.ended_at == unset ? std::max(t.ended_at, a.started_at) : a.ended_at;
}

span_told span_of(const task& t, const trace_context& x) {
  span_told s;
  s.id = span_of_task(x, t.number);
  s.parent = x.span;
  s.name = "task " + t.workflow;
  s.began_at = t.submitted_at;
  s.ended_at = std::max(t.ended_at, t.submitted_at);
  s.has_failed = t.state != process_state::processed;
  s.message = t.cause;
  s.attributes = {{"steadfast.task", t.id},
                  {"steadfast.workflow", t.workflow},
                  {"steadfast.workflow.version", std::to_string(t.version)},
                  {"steadfast.state", std::string{to_string(t.state)}}};
  return s;
}

bool has_failed_in(step_state s) {
  return s == step_state::failed || s == step_state::unknown || s == step_state::compensation_failed;
}

/// REQUIRES: it was attempted.
span_told span_of(const task& t, const step& of, const std::string& name, std::uint64_t id, std::uint64_t parent) {
  span_told s;
  s.id = id;
  s.parent = parent;
  s.name = "step " + name;
  s.began_at = of.log[0].started_at;
  s.ended_at = s.began_at;
  for (const auto& a : of.log)
    s.ended_at = std::max(s.ended_at, end_of(a, t));
  s.has_failed = has_failed_in(of.state);
  s.message = s.has_failed ? of.error : "";
  s.attributes = {
    {"steadfast.task", t.id}, {"steadfast.step", name}, {"steadfast.state", std::string{to_string(of.state)}}};
  return s;
}

span_told span_of(const task& t, const attempt_record& a, const std::string& step, std::uint64_t id,
                  std::uint64_t parent) {
  span_told s;
  s.id = id;
  s.parent = parent;
  s.is_call = true;
  s.name = std::string{to_string(a.action)} + " " + step;
  s.began_at = a.started_at;
  s.ended_at = end_of(a, t);
  s.has_failed = a.outcome != attempt_outcome::succeeded;
  s.message = s.has_failed ? a.note : "";
  s.attributes = {{"steadfast.task", t.id},
                  {"steadfast.step", step},
                  {"steadfast.agent", a.agent},
                  {"steadfast.attempt", std::to_string(a.number)},
                  {"steadfast.outcome", std::string{to_string(a.outcome)}}};
  return s;
}

} // namespace

std::vector<span_told> spans_of(const task& t, const definition& d, const trace_context& x) {
  std::vector<span_told> all{span_of(t, x)};
  for (std::size_t i = 0; i < t.steps.size() && i < d.steps.size(); ++i) {
    const auto& s = t.steps[i];
    if (s.log.empty())
      continue;
    const auto& name = d.steps[i].name;
    const auto step = span_of_step(x, t.number, i);
    all.push_back(span_of(t, s, name, step, span_of_task(x, t.number)));
    for (const auto& a : s.log)
      all.push_back(span_of(t, a, name, span_of_attempt(x, t.number, i, a.number), step));
  }
  return all;
}

} // namespace steadfast::workflow
