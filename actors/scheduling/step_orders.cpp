#include "actors/scheduling/step_orders.hpp"

#include "actors/agents/step_input.hpp"

#include <utility>

namespace steadfast::actors {

step_order order_for(const workflow::task& t, const workflow::definition& d, std::size_t step, std::string input,
                     workflow::instant clock) {
  const auto& s = t.steps[step];
  step_order o;
  o.task_number = t.number;
  o.task_id = t.id;
  o.workflow = t.workflow;
  o.step = static_cast<std::uint32_t>(step);
  o.step_name = d.steps[step].name;
  o.action = s.doing;
  o.attempt = s.attempt;
  o.epoch = t.lock_epoch;
  o.key = workflow::idempotency_key(t, d, step, s.doing);
  if (s.doing != workflow::attempt_action::perform)
    o.reverses = workflow::idempotency_key(t, d, step, workflow::attempt_action::perform);
  o.input = std::move(input);
  o.complete_by = s.complete_by;
  o.clock = clock;
  o.may_end_later = d.steps[step].later && s.doing == workflow::attempt_action::perform;
  return o;
}

workflow::event event_of(attempt_report m, const workflow::definition& d) {
  const workflow::attempt_ref ref{m.step, m.attempt, m.epoch};
  switch (m.kind) {
    case report_kind::succeeded: {
      auto facts = m.step < d.steps.size() ? facts_of(d, m.step, m.result) : std::vector<workflow::fact>{};
      return workflow::attempt_succeeded{ref, workflow::blob{std::move(m.result)}, std::move(facts), m.unsettled};
    }
    case report_kind::failed_transient:
      return workflow::attempt_failed{ref, false, m.maybe_done, m.retry_after, std::move(m.why), m.unsettled};
    case report_kind::failed_permanent:
      return workflow::attempt_failed{ref, true, m.maybe_done, {}, std::move(m.why), m.unsettled};
    case report_kind::declined: return workflow::attempt_declined{ref, m.retry_after, std::move(m.why)};
    case report_kind::stopped: return workflow::attempt_stopped{ref, m.maybe_done, m.unsettled};
    case report_kind::denied: return workflow::probe_denied{ref};
    case report_kind::taken_on: return workflow::attempt_taken_on{ref, std::move(m.result), m.unsettled};
  }
  return workflow::attempt_failed{ref, false, true, {}, "the agent's report is of an unknown kind", true};
}

} // namespace steadfast::actors
