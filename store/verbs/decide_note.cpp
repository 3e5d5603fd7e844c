#include "store/verbs/decide_note.hpp"

#include "workflow/on_call/incident.hpp"

#include <charconv>
#include <cstddef>
#include <utility>

namespace steadfast::store {

// ---- late replies ----

late_reply_place next_place(const late_reply_ring& there) {
  if (there.next - there.first >= late_replies_max)
    return {there.next, there.first};
  return {there.next};
}

decision decide(const keep_late_reply& w, bool is_task_there) {
  if (!is_task_there)
    return no_such_task(w.number);
  return applied();
}

workflow::late_reply with_step_named(workflow::late_reply sent, const workflow::definition& d) {
  std::size_t index = 0;
  const auto* const end = sent.step.data() + sent.step.size();
  if (sent.step.starts_with('#') && std::from_chars(sent.step.data() + 1, end, index).ptr == end
      && index < d.steps.size())
    sent.step = d.steps[index].name;
  return sent;
}

// ---- alerts ----

alert_entry entry_of(const raised_alert& x, std::uint64_t alert) {
  return {alert, x.task_number, x.task_id, x.what, {}, workflow::unset};
}

decided<record_act, alert_entry> decide(const record_act& w, std::uint64_t alert, act_place on) {
  const workflow::alert told{"act", w.what + (w.why.empty() ? "" : ": " + w.why), {}, w.now};
  return {applied(), alert_entry{alert, on.task_number, std::move(on.task_id), told, w.who, w.now}};
}

bool may_be_of_condition(const alert_entry& x) {
  return x.task_number == 0 && x.what.kind != changed_workflow && x.what.kind != damaged_workflow;
}

std::optional<bool> holds_on(const workflow::alert& what, bool is_of_condition) {
  if (what.kind == changed_workflow || what.kind == damaged_workflow)
    return true; // until the definition is taken again
  if (is_of_condition)
    return true; // only the next report says whether it does
  return workflow::is_about_present_state(what) ? std::nullopt : std::optional{false};
}

acknowledged_alert acknowledged(alert_entry there, const std::string& who, workflow::instant now, bool holds) {
  acknowledged_alert d{applied()};
  d.leaves_incident = !holds;
  if (there.acknowledged_at != workflow::unset)
    return d;
  there.acknowledged_by = who;
  there.acknowledged_at = now;
  d.put = std::move(there);
  d.is_seen = true;
  return d;
}

acknowledged_alert decide(const acknowledge_alert& w, known_alert there) {
  if (!there.is_there)
    return {turned_down(write_status::absent, "there is no alert with the number " + std::to_string(w.alert))};
  if (!there.entry) // nobody can read it any more; it only leaves the lists
    return {applied(), {}, true, true};
  return acknowledged(*std::move(there.entry), w.who, w.now, there.holds);
}

// ---- notices ----

std::optional<decision> problem_of(const acknowledge_notices& w) {
  if (w.observer.empty() || w.observer.size() > workflow::task_id_size_max)
    return turned_down(write_status::absent, "there is no such observer");
  return std::nullopt;
}

bool drops(const acknowledge_notices& w, std::uint32_t sequence) {
  return sequence <= w.sequence;
}

} // namespace steadfast::store
