#include "store/verbs/family/decide_child.hpp"

#include "store/verbs/tasks/decide_task.hpp"
#include "workflow/on_call/incident.hpp"
#include "workflow/task/compensation.hpp"
#include "workflow/task/taken_in.hpp"
#include "workflow/text/name.hpp"

#include <algorithm>
#include <utility>

namespace steadfast::store {

using workflow::child_duty;
using workflow::process_state;

namespace {

bool needs_person_or_has_ended(process_state s) {
  return s == process_state::processed || s == process_state::undone || s == process_state::error;
}

std::string has_another_task(std::string_view id) {
  return "another task has the id " + workflow::quoted(id);
}

} // namespace

key key_of(const child_note& x) {
  return key{x.parent, x.step, static_cast<std::uint8_t>(x.what), x.item};
}

std::optional<child_note> note_of(std::string_view table_key, workflow::instant at) {
  key_reader k{table_key};
  const auto parent = k.number<std::uint64_t>();
  const auto step = k.number<std::uint32_t>();
  const auto what = k.number<std::uint8_t>();
  const auto item = k.number<std::uint32_t>();
  const auto last = static_cast<std::uint8_t>(child_duty::tell_parent);
  if (!parent || !step || !what || !item || *what == 0 || *what > last)
    return std::nullopt;
  return child_note{*parent, *step, static_cast<child_duty>(*what), at, *item};
}

void add_notes_to_children(const workflow::task& next, const workflow::definition& d, const workflow::step_list& before,
                           const std::vector<waiting_step>& waited, std::deque<child_note>& into) {
  const auto has_waited = [&](std::size_t i) {
    return std::any_of(waited.begin(), waited.end(),
                       [&](const waiting_step& w) { return w.step == i && w.attempt == next.steps[i].attempt; });
  };
  each_difference(before, next.steps, [&](std::size_t i) {
    const auto& s = next.steps[i];
    if (!workflow::starts_child(d.steps[i]) || s.log.empty())
      return;
    const bool is_known = has_waited(i) || (before.size() == next.steps.size() && before[i].attempt == s.attempt);
    const bool is_undone = workflow::is_undo_of_child_awaited(s, d.steps[i]);
    if (!is_known && (is_undone || s.state == workflow::step_state::waiting))
      into.push_back({next.number, static_cast<std::uint32_t>(i), is_undone ? child_duty::undo : child_duty::start,
                      s.log.back().started_at, 0});
  });
}

void add_notes_of_import(const workflow::task& t, const workflow::definition& d, std::deque<child_note>& into) {
  for (std::size_t i = 0; i < t.steps.size(); ++i)
    if (workflow::starts_child(d.steps[i]) && !t.steps[i].log.empty())
      into.push_back(
        {t.number, static_cast<std::uint32_t>(i), child_duty::tell_parent, t.steps[i].log.back().started_at, 0});
}

void add_notes_of_resumed(const workflow::task& t, const workflow::definition& d, std::deque<child_note>& into) {
  constexpr std::uint32_t some_item = 1; // so that its undo goes on, and does not begin again
  for (std::size_t i = 0; i < t.steps.size(); ++i) {
    const auto& s = t.steps[i];
    const bool is_undone = workflow::is_undo_of_child_awaited(s, d.steps[i]);
    const bool has_items =
      workflow::is_over_items(d.steps[i]) && (is_undone || s.state == workflow::step_state::waiting);
    if (has_items && !workflow::are_items_elsewhere(t, i))
      into.push_back({t.number, static_cast<std::uint32_t>(i), is_undone ? child_duty::undo : child_duty::start,
                      workflow::last_changed_at(t), is_undone ? some_item : 0});
  }
}

bool is_news_for_parent(const workflow::task& next, process_state before) {
  return !next.parent.empty() && next.state != before
         && (needs_person_or_has_ended(next.state) || before == process_state::error);
}

child_note note_for_parent(const workflow::task& child, std::uint64_t parent) {
  const auto& link = *child.parent;
  return {parent, link.step, child_duty::tell_parent, workflow::last_changed_at(child), link.item};
}

workflow::undo_requested undo_asked_by(const workflow::task& parent) {
  return {{"its parent " + workflow::quoted(parent.id), parent.cause}};
}

// ---- what is said, about a step that starts one task ----

bool is_about_children(const child_note& x, const workflow::definition& d) {
  return x.step < d.steps.size() && workflow::starts_child(d.steps[x.step]);
}

child_act act_of_start(const child_note& x, const workflow::task& parent, bool is_id_taken) {
  const bool waits = parent.steps[x.step].state == workflow::step_state::waiting;
  if (!waits) // what was begun at the same time turned the task round
    return is_id_taken ? child_act::none : child_act::end_undone;
  return is_id_taken ? child_act::tell : child_act::make; // that of an earlier attempt, which may have ended
}

bool is_undo_due(const child_note& x, const workflow::task& parent, const workflow::definition& d) {
  return workflow::is_undo_of_child_awaited(parent.steps[x.step], d.steps[x.step]);
}

namespace {

/// When the note came before.
bool was_asked(const child_note& x, const workflow::task& parent, const workflow::task& child) {
  const auto who = undo_asked_by(parent).person.who;
  return std::any_of(child.acts.begin(), child.acts.end(),
                     [&](const workflow::act& a) { return a.at == x.at && a.who == who; });
}

} // namespace

child_act act_of_undo(const child_note& x, const workflow::task& parent, const workflow::task* child) {
  if (child == nullptr)
    return child_act::take_back_start;
  if (!workflow::is_child_of(*child, parent, x.step))
    return child_act::end_lost;
  const bool is_held = child->state == process_state::suspended && was_asked(x, parent, *child);
  return is_held ? child_act::none : child_act::ask_undo;
}

bool tells_after_undo(const workflow::task& child) {
  return child.state == process_state::undone;
}

std::optional<workflow::child_end> told_of(const child_note& x, const workflow::task& parent,
                                           const workflow::definition& d, const known_task* child) {
  if (child != nullptr && workflow::is_child_of(child->state.task, parent, x.step))
    return workflow::end_of_child(child->state.task, *child->definition, d, x.step);
  if (x.what == child_duty::start)
    return not_made(has_another_task(workflow::child_id(parent, d, x.step)));
  return std::nullopt;
}

std::optional<workflow::child_end> told_of_damage(const child_note& x) {
  if (x.what != child_duty::undo)
    return std::nullopt;
  return workflow::child_end{workflow::child_state::undo_failed, "the records of its task are damaged", {}, {}};
}

workflow::child_end never_begun() {
  return {workflow::child_state::undone, {}, {}, {}};
}

workflow::child_end not_made(std::string why) {
  return {workflow::child_state::refused, workflow::clipped(why, workflow::note_size_max), {}, {}};
}

workflow::child_end lost_child(std::string_view id) {
  return {workflow::child_state::undo_failed, "there is no task " + workflow::quoted(id) + " in this store", {}, {}};
}

std::optional<std::string> problem_of_child(const submit_task& w, bool is_id_taken, const store_options& limits) {
  if (is_id_taken)
    return has_another_task(w.what.id);
  const auto wrong = problem_of(w, limits);
  return wrong ? std::optional{wrong->why} : std::nullopt;
}

submitted_task decide_child(const submit_task& w, const known_workflow& of, std::uint64_t number,
                            const workflow::parent_link& parent) {
  return decide(
    w, of, number, [](std::uint64_t) { return true; }, parent);
}

} // namespace steadfast::store
