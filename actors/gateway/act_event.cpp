#include "actors/gateway/act_event.hpp"

#include "actors/agents/step_input.hpp"
#include "workflow/task/explain.hpp"

#include <nlohmann/json.hpp>

namespace steadfast::actors {

std::optional<workflow::event> event_of(const act_on_task& m, const workflow::task& t, const workflow::definition& d) {
  const workflow::by person{m.who, m.why};
  switch (m.act) {
    case task_act::edit: return workflow::payload_edited{workflow::blob{m.document}, person};
    case task_act::undo: return workflow::undo_requested{person};
    case task_act::cancel: return workflow::cancelled{person};
    case task_act::suspend: return workflow::suspended{person};
    case task_act::resume: return workflow::resumed{person};
    default: break;
  }
  const auto step = m.step.empty() ? workflow::first_in_trouble(t) : workflow::find_step(d, m.step);
  if (!step)
    return std::nullopt;
  if (m.act == task_act::skip)
    return workflow::step_skipped{*step, workflow::blob{m.document}, facts_of(d, *step, m.document), person};
  return workflow::step_retried{*step, m.new_key, person};
}

workflow::event event_of(const use_token& m, const workflow::definition& d) {
  const workflow::token_use by{m.step, m.attempt, m.digest};
  switch (m.says) {
    case use_token::word::completes:
      return workflow::later_completed{by, workflow::blob{m.result},
                                       m.step < d.steps.size() ? facts_of(d, m.step, m.result)
                                                               : std::vector<workflow::fact>{}};
    case use_token::word::fails: return workflow::later_failed{by, m.permanent, m.maybe_done, m.time, m.text};
    case use_token::word::goes_on: break;
  }
  return workflow::later_extended{by, m.time, m.text};
}

std::optional<workflow::event> event_of(const give_answer& m, const workflow::task& t, const workflow::definition& d) {
  const auto i = workflow::find_step(d, m.step);
  if (!i)
    return std::nullopt;
  const auto result = nlohmann::json{{"choice", m.choice}, {"who", m.who}, {"why", m.why}}.dump();
  return workflow::answered{
    *i, t.steps[*i].attempt, m.choice, workflow::blob{result}, facts_of(d, *i, result), {m.who, m.why}};
}

std::string why_no_event(const give_answer& m) {
  return "it has no step `" + m.step + "`";
}

std::string why_changed(std::uint64_t since) {
  return "the task has changed since revision " + std::to_string(since) + ": look at it again";
}

std::string why_no_event(const act_on_task& m) {
  return m.step.empty() ? "no step of it failed or waits" : "it has no step `" + m.step + "`";
}

} // namespace steadfast::actors
