#include "actors/gateway/act_event.hpp"

#include "actors/agents/step_input.hpp"
#include "workflow/task/explain.hpp"

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

std::string why_no_event(const act_on_task& m) {
  return m.step.empty() ? "no step of it failed or waits" : "it has no step `" + m.step + "`";
}

} // namespace steadfast::actors
