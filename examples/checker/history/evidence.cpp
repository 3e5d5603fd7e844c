#include "examples/checker/history/evidence.hpp"

#include <algorithm>

namespace checker {

namespace {

void add_once(std::vector<names::id>& to, names::id n) {
  if (std::find(to.begin(), to.end(), n) == to.end())
    to.push_back(n);
}

bool contains(const std::vector<names::id>& in, names::id n) {
  return std::find(in.begin(), in.end(), n) != in.end();
}

void keep_first(std::optional<std::int64_t>& first, std::int64_t ns) {
  first = std::min(first.value_or(ns), ns);
}

void note_attempt(std::vector<seen_attempt>& seen, const effect& e) {
  auto found = std::find_if(seen.begin(), seen.end(), [&](const seen_attempt& a) { return a.number == e.attempt; });
  if (found == seen.end())
    found = seen.insert(seen.end(), {e.attempt, e.epoch, e.epoch});
  found->epoch_min = std::min(found->epoch_min, e.epoch);
  found->epoch_max = std::max(found->epoch_max, e.epoch);
}

bool shows_effect(result r) {
  return r == result::created || r == result::repeated || r == result::failed_after_effect || r == result::probe_yes;
}

bool is_good_undo(result r) {
  return r == result::undone || r == result::undo_of_nothing || r == result::undo_repeated;
}

void note_do(evidence& to, const effect& e) {
  add_once(to.do_keys, e.key);
  note_attempt(to.do_attempts, e);
  keep_first(to.first_do_ns, e.steady_ns);
  if (e.result == result::created || e.result == result::repeated)
    (e.is_later ? to.later : to.not_later).push_back(e.attempt);
  if (e.is_finished)
    (*e.is_finished ? to.finished : to.unfinished).push_back(e.attempt);
  if (e.result != result::created)
    return;
  ++to.created;
  if (contains(to.tombstones, e.key))
    ++to.created_after_undo;
  add_once(to.in_place, e.key);
}

void note_undo(evidence& to, const effect& e) {
  add_once(to.undo_keys, e.key);
  note_attempt(to.undo_attempts, e);
  keep_first(to.first_undo_ns, e.steady_ns);
  if (!to.do_keys.empty() && !contains(to.do_keys, e.reverses))
    to.undo_of_unknown_key = true;
  if (!is_good_undo(e.result))
    return;
  keep_first(to.first_good_undo_ns, e.steady_ns);
  add_once(to.tombstones, e.reverses);
  std::erase(to.in_place, e.reverses);
}

void note_probe(evidence& to, const effect& e) {
  std::erase(to.denying_probes, e.attempt);
  if (e.result == result::probe_no)
    to.denying_probes.push_back(e.attempt);
}

void note(evidence& to, const effect& e) {
  if (e.action == action::perform)
    note_do(to, e);
  else if (e.action == action::undo)
    note_undo(to, e);
  else
    note_probe(to, e);
  if (e.action != action::undo && shows_effect(e.result))
    keep_first(to.first_effect_ns, e.steady_ns);
}

void add_before(const task& t, std::size_t i, std::vector<bool>& before) {
  for (const auto p : t.steps[i].after) {
    if (before[p])
      continue;
    before[p] = true;
    add_before(t, p, before);
  }
}

std::vector<std::vector<bool>> all_before(const task& t) {
  std::vector<std::vector<bool>> before(t.steps.size(), std::vector<bool>(t.steps.size(), false));
  for (std::size_t i = 0; i < t.steps.size(); ++i)
    add_before(t, i, before[i]);
  return before;
}

} // namespace

sorted_history::sorted_history(const history& h, const checker::settings& s)
    : h_{h},
      settings_{s},
      unlogged_{s.unlogged.begin(), s.unlogged.end()} {
  sort_effects();
  tasks_.reserve(h.tasks.size());
  for (const auto& t : h.tasks) {
    tasks_.emplace(t.id, &t);
    if (t.parent != 0)
      children_[t.parent].push_back(&t);
  }
}

/// Counts, then places: the time grows with the number of lines alone.
void sorted_history::sort_effects() {
  task_begin_.assign(h_.names.size() + 1, 0);
  for (const auto& e : h_.effects)
    ++task_begin_[e.task + 1];
  for (std::size_t i = 1; i < task_begin_.size(); ++i)
    task_begin_[i] += task_begin_[i - 1];
  auto next = task_begin_;
  effects_.resize(h_.effects.size());
  for (const auto& e : h_.effects)
    effects_[next[e.task]++] = e;
}

std::span<const effect> sorted_history::effects_of(names::id task) const {
  return std::span{effects_}.subspan(task_begin_[task], task_begin_[task + 1] - task_begin_[task]);
}

const task* sorted_history::find(names::id id) const {
  const auto found = tasks_.find(id);
  return found == tasks_.end() ? nullptr : found->second;
}

const std::vector<const task*>& sorted_history::children_of(names::id task) const {
  static const std::vector<const checker::task*> none;
  const auto found = children_.find(task);
  return found == children_.end() ? none : found->second;
}

const std::vector<wake>& sorted_history::wakes_of(names::id task) const {
  static const std::vector<wake> none;
  const auto found = h_.wakes.find(task);
  return found == h_.wakes.end() ? none : found->second;
}

bool sorted_history::is_unlogged(const step& s) const {
  return unlogged_.contains(h_.names.text(s.agent));
}

bool sorted_history::is_logged(const step& s) const {
  const auto agent = h_.names.text(s.agent);
  return !agent.empty() && !unlogged_.contains(agent);
}

bool may_have_woken(const wake& w, const step& s) {
  if (w.is_refused || w.step != s.name)
    return false;
  return w.what == wake::kind::answer ? s.answer != 0 && w.says == s.answer
                                      : w.what == wake::kind::event && s.result != 0 && w.says == s.result;
}

/// The id is TASK/STEP, and that of an item TASK/STEP/NUMBER.
const step* step_that_started(const history& h, const task& parent, const task& child) {
  const auto& id = h.names.text(child.id);
  const auto start = h.names.text(parent.id) + "/";
  if (!id.starts_with(start))
    return nullptr;
  const auto rest = std::string_view{id}.substr(start.size());
  for (const auto& s : parent.steps)
    if (const auto& name = h.names.text(s.name); rest == name || rest.starts_with(name + "/"))
      return &s;
  return nullptr;
}

void sorted_history::add_wakes(task_case& c) const {
  for (const auto& w : wakes_of(c.task->id))
    for (std::size_t i = 0; i < c.steps.size(); ++i)
      if (may_have_woken(w, c.task->steps[i]))
        keep_first(c.steps[i].first_effect_ns, w.sent_ns);
}

namespace {

void keep_last(std::optional<std::int64_t>& last, std::optional<std::int64_t> ns) {
  if (ns)
    last = std::max(last.value_or(*ns), *ns);
}

/// The step has taken place when all of the child has, and is undone when all of that is.
void add_child(evidence& to, const task_case& child) {
  for (const auto& e : child.steps) {
    if (e.first_do_ns)
      keep_first(to.first_do_ns, *e.first_do_ns);
    if (e.first_undo_ns)
      keep_first(to.first_undo_ns, *e.first_undo_ns);
    keep_last(to.first_effect_ns, e.first_effect_ns);
    keep_last(to.first_good_undo_ns, e.first_good_undo_ns);
  }
}

} // namespace

void sorted_history::add_children(task_case& c) const {
  for (const auto* child : children_of(c.task->id)) {
    const auto* started = step_that_started(h_, *c.task, *child);
    if (!started)
      continue;
    const auto of_child = case_of(*child);
    add_child(c.steps[static_cast<std::size_t>(started - c.task->steps.data())], of_child);
    c.is_child_disturbed = c.is_child_disturbed || of_child.alerted || of_child.is_child_disturbed || child->acts > 0;
  }
}

task_case sorted_history::case_of(const task& t) const {
  task_case c{&t,   effects_of(t.id), std::vector<evidence>(t.steps.size()), all_before(t), h_.alerts.contains(t.id),
              false};
  for (const auto& e : c.effects)
    for (std::size_t i = 0; i < t.steps.size(); ++i)
      if (t.steps[i].name == e.step)
        note(c.steps[i], e);
  add_wakes(c);
  add_children(c);
  return c;
}

} // namespace checker
