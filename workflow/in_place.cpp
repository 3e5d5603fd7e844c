#include "workflow/in_place.hpp"

#include "workflow/compensation.hpp"

#include <algorithm>

namespace steadfast::workflow {
namespace {

/// The first attempt that may have done it.
const attempt_record* first_sent(const step& s) {
  const auto found = std::find_if(s.log.begin(), s.log.end(), [](const attempt_record& a) {
    return a.action == attempt_action::perform && a.outcome != attempt_outcome::declined;
  });
  return found == s.log.end() ? nullptr : &*found;
}

effect_in_place effect_of(const task& t, const definition& d, std::size_t i, kept_because why) {
  const auto& s = t.steps[i];
  const auto* const sent = first_sent(s);
  effect_in_place x;
  x.step = i;
  x.why = why;
  x.is_certain = s.completed_at != unset;
  x.agent = sent != nullptr ? sent->agent : d.steps[i].agent;
  x.key = idempotency_key(t, d, i, attempt_action::perform);
  x.since = s.completed_at != unset ? s.completed_at : sent != nullptr ? sent->started_at : t.submitted_at;
  if (why == kept_because::undo_failed)
    x.failure = failure_told(s);
  return x;
}

} // namespace

std::string_view to_string(kept_because why) {
  switch (why) {
    case kept_because::undo_failed: return "undo_failed";
    case kept_because::undo_waits: return "undo_waits";
    case kept_because::no_compensation: return "no_compensation";
  }
  return "?";
}

std::vector<effect_in_place> effects_in_place(const task& t, const definition& d) {
  std::vector<effect_in_place> all;
  if (t.state != process_state::error && t.state != process_state::undone)
    return all;
  for (const auto i : left_in_place(t, d))
    all.push_back(effect_of(t, d, i,
                            t.steps[i].state == step_state::compensation_failed ? kept_because::undo_failed
                                                                                : kept_because::no_compensation));
  for (const auto i : undo_order(t, d))
    all.push_back(effect_of(t, d, i, kept_because::undo_waits));
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.step < b.step; });
  return all;
}

} // namespace steadfast::workflow
