// Steps that start tasks, and what parents and children are told of each other.

#include "store/engine/write_batch.hpp"
#include "store/lmdb/prefix_scan.hpp"
#include "store/verbs/family/decide_child.hpp"
#include "store/verbs/tasks/decide_task.hpp"
#include "store/verbs/tasks/new_task.hpp"

#include <algorithm>
#include <utility>

namespace steadfast::store {

using workflow::child_duty;

void write_batch::note_family(const workflow::definition& d, const workflow::task& next,
                              const workflow::step_list& before, const task_outline& there,
                              workflow::process_state state_before) {
  if (workflow::any_starts_child(d))
    add_notes_to_children(next, d, before, there.waiting, child_notes_);
  if (state_before == workflow::process_state::suspended && next.state != state_before)
    add_notes_of_resumed(next, d, child_notes_);
  note_to_parent(next, state_before);
}

void write_batch::note_import(const workflow::definition& d, const workflow::task& t) {
  if (workflow::any_starts_child(d))
    add_notes_of_import(t, d, child_notes_);
  note_to_parent(t, workflow::process_state::pending);
}

void write_batch::note_to_parent(const workflow::task& t, workflow::process_state state_before) {
  if (is_news_for_parent(t, state_before))
    if (const auto parent = ref_of(t.parent->id))
      child_notes_.push_back(note_for_parent(t, parent->number));
}

void write_batch::say_notes(changed_tasks& changed) {
  for (; !child_notes_.empty() && notes_said_ < notes_said_at_once; ++notes_said_) {
    const auto x = child_notes_.front();
    child_notes_.pop_front();
    say(x, changed);
  }
  for (const auto& x : child_notes_)
    txn_.put(in_.child_notes, key_of(x), {});
  child_notes_.clear();
}

bool write_batch::say_rest_of_notes(workflow::instant now) {
  if (txn_.entries(in_.child_notes) == 0)
    return false;
  std::vector<std::string> first;
  {
    lmdb::cursor c{txn_, in_.child_notes};
    for (bool more = c.first(); more && first.size() <= notes_said_at_once; more = c.next())
      first.emplace_back(c.key());
  }
  const bool more = first.size() > notes_said_at_once;
  first.resize(std::min(first.size(), notes_said_at_once));
  for (const auto& k : first) {
    txn_.erase(in_.child_notes, k);
    if (const auto x = note_of(k, now))
      child_notes_.push_back(*x);
  }
  return more;
}

void write_batch::say(const child_note& x, changed_tasks& changed) {
  try {
    const auto* const parent = parent_of(x);
    if (parent == nullptr)
      return;
    const auto& [state, d] = *parent;
    if (workflow::is_over_items(d->steps[x.step])) {
      const auto definition = d; // what is said may replace the parent that is kept
      const auto task = state.task;
      return say_of_items(x, task, *definition, changed);
    }
    switch (x.what) {
      case child_duty::start: return start_child(x, state.task, *d, changed);
      case child_duty::undo: return undo_child(x, state.task, *d, changed);
      case child_duty::tell_parent: return tell_parent(x, state.task, *d, changed);
      case child_duty::none: return;
    }
  } catch (const damaged_record&) { // reported by read(): it is set aside
    if (auto end = told_of_damage(x))
      end_step(x, *std::move(end), changed);
  }
}

/// Many notes in a row are about one parent.
const snapshot::known_task* write_batch::parent_of(const child_note& x) {
  const auto* const there = known(x.parent);
  if (there == nullptr || !is_about_children(x, *there->now.definition))
    return nullptr;
  const bool is_it = last_parent_ && last_parent_->state.task.number == x.parent
                     && last_parent_->state.task.revision == there->now.revision;
  if (!is_it) {
    last_parent_ = load(x.parent);
  }
  return last_parent_ ? &*last_parent_ : nullptr;
}

void write_batch::complete_parent(std::uint64_t number) {
  if (auto& t = last_parent_->state.task; t.payload.empty())
    t.payload = payload_of(number);
}

void write_batch::start_child(const child_note& x, const workflow::task& parent, const workflow::definition& d,
                              changed_tasks& changed) {
  switch (act_of_start(x, parent, ref_of(workflow::child_id(parent, d, x.step)).has_value())) {
    case child_act::tell: return tell_parent(x, parent, d, changed);
    case child_act::end_undone: return end_step(x, never_begun(), changed);
    case child_act::make: break;
    default: return;
  }
  complete_parent(x.parent);
  auto child = workflow::child_of(parent, d, x.step);
  if (!child.problem.empty())
    return end_step(x, not_made(std::move(child.problem)), changed);
  const auto made = make_child(std::move(child), x.at, changed);
  if (const auto* const why = std::get_if<std::string>(&made))
    end_step(x, not_made(*why), changed);
}

std::variant<std::uint64_t, std::string> write_batch::make_child(workflow::new_child&& child, workflow::instant at,
                                                                 changed_tasks& changed) {
  const submit_task w{std::move(child.what), at};
  if (auto why = problem_of_child(w, ref_of(w.what.id).has_value(), *settings_.options))
    return *std::move(why);
  auto made = decide_child(w, known_workflow_of(w.what), next_task_number(), child.parent);
  if (!made.put)
    return made.said.why;
  const auto number = made.put->task->number;
  settings_.known->remember(put(*made.put, digest_of(w.what)), made.put->task);
  changed.insert_or_assign(number, *made.put->task);
  return number;
}

void write_batch::undo_child(const child_note& x, const workflow::task& parent, const workflow::definition& d,
                             changed_tasks& changed) {
  if (!is_undo_due(x, parent, d))
    return;
  const auto id = workflow::child_id(parent, d, x.step);
  const auto ref = ref_of(id);
  const auto child = ref ? load(ref->number) : std::nullopt;
  const auto act = act_of_undo(x, parent, child ? &child->state.task : nullptr);
  if (act == child_act::none)
    return;
  if (act != child_act::ask_undo) {
    const bool was_not_begun = act == child_act::take_back_start && take_back_start(x);
    return end_step(x, was_not_begun ? never_begun() : lost_child(id), changed);
  }
  if (auto t = apply_to(ref->number, undo_asked_by(parent), x.at, true))
    changed.insert_or_assign(ref->number, *std::move(t));
  else if (tells_after_undo(child->state.task))
    tell_parent(x, parent, d, changed);
}

bool write_batch::take_back_start(const child_note& x) {
  return txn_.erase(in_.child_notes, key_of({x.parent, x.step, child_duty::start, {}}));
}

void write_batch::tell_parent(const child_note& x, const workflow::task& parent, const workflow::definition& d,
                              changed_tasks& changed) {
  const auto ref = ref_of(workflow::child_id(parent, d, x.step));
  const auto child = ref ? load(ref->number, true) : std::nullopt;
  if (auto end = told_of(x, parent, d, child ? &*child : nullptr))
    end_step(x, *std::move(end), changed);
}

void write_batch::end_step(const child_note& x, workflow::child_end end, changed_tasks& changed) {
  if (auto t = apply_to(x.parent, workflow::child_ended{x.step, std::move(end)}, x.at, true))
    changed.insert_or_assign(x.parent, *std::move(t));
}

std::optional<std::uint64_t> write_batch::incident_of_child(const workflow::task& t, const workflow::definition& d,
                                                            const std::string& step) {
  const auto i = workflow::find_step(d, step);
  if (!i || !workflow::starts_child(d.steps[*i]))
    return std::nullopt;
  const auto step_number = static_cast<std::uint32_t>(*i);
  const auto fan_out = workflow::is_over_items(d.steps[*i]) ? fan_out_of(t.number, step_number) : std::nullopt;
  const auto child = ref_of(workflow::child_id(t, d, *i, fan_out ? fan_out->first_in_error : 0));
  const auto alerts = child ? alerts_of_task(child->number) : std::vector<alert_entry>{};
  return alerts.empty() ? std::nullopt : incidents_.incident_of(alerts.back().number);
}

} // namespace steadfast::store
