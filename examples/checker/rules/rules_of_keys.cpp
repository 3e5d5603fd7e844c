#include "examples/checker/rules/rules.hpp"

#include <algorithm>

// E3, E10, E12: the lines of the effect logs.

namespace checker {

namespace {

/// What one key was used for.
struct key_use {
  bool used = false;
  bool shared = false;
  names::id task = 0;
  names::id step = 0;
  checker::action action = action::perform;
  std::uint32_t created = 0;
  std::uint32_t undone = 0;
};

void note(key_use& use, const effect& e) {
  if (!use.used)
    use = {true, false, e.task, e.step, e.action, 0, 0};
  use.shared = use.shared || use.task != e.task || use.step != e.step || use.action != e.action;
  use.created += e.result == result::created ? 1 : 0;
  use.undone += e.result == result::undone ? 1 : 0;
}

} // namespace

void check_keys(const sorted_history& h, finding& e3, finding& e10) {
  std::vector<key_use> uses(h.all().names.size());
  for (const auto& e : h.all().effects)
    note(uses[e.key], e);
  for (names::id key = 0; key < uses.size(); ++key) {
    const auto& use = uses[key];
    if (!use.used)
      continue;
    if (use.action != action::probe)
      e3.expect(use.created <= 1 && use.undone <= 1, [&] {
        return "key " + h.text(key) + ": " + std::to_string(std::max(use.created, use.undone)) + " effects";
      });
    e10.expect(!use.shared, [&] { return "key " + h.text(key) + " was used for more than one thing"; });
  }
}

void check_one_key(const sorted_history& h, const task_case& c, finding& e10) {
  const std::size_t allowed = 1 + std::size_t{c.task->acts};
  for (std::size_t i = 0; i < c.task->steps.size(); ++i) {
    const auto& e = c.steps[i];
    const auto where = [&] { return "task " + h.text(c.task->id) + " step " + h.text(c.task->steps[i].name); };
    if (e.do_keys.size() > allowed)
      e10.violated([&] { return where() + " was tried under " + std::to_string(e.do_keys.size()) + " keys"; });
    if (e.undo_keys.size() > allowed)
      e10.violated([&] { return where() + " was undone under " + std::to_string(e.undo_keys.size()) + " keys"; });
    if (e.undo_of_unknown_key)
      e10.violated([&] { return where() + " was undone under a key that none of its tries carried"; });
  }
}

namespace {

const step* find_step(const task* t, names::id name) {
  if (!t)
    return nullptr;
  const auto found = std::find_if(t->steps.begin(), t->steps.end(), [&](const step& s) { return s.name == name; });
  return found == t->steps.end() ? nullptr : &*found;
}

/// Why the store's story does not explain the line; empty when it does.
std::string unexplained(const task* t, const step* s, const effect& e) {
  if (!t)
    return "the store does not have the task";
  if (!s)
    return "the task does not have the step";
  if (e.attempt == 0 || e.attempt > s->attempt)
    return "attempt " + std::to_string(e.attempt) + " was sent, the store knows of " + std::to_string(s->attempt);
  const auto told = std::find_if(s->log.begin(), s->log.end(), [&](const attempt& a) { return a.number == e.attempt; });
  if (told == s->log.end()) // the story is bounded: its oldest lines are dropped
    return {};
  if (told->action != e.action)
    return "attempt " + std::to_string(e.attempt) + " is of another action in the store";
  if (e.epoch > told->epoch)
    return "attempt " + std::to_string(e.attempt) + " was sent under epoch " + std::to_string(e.epoch)
           + ", the store knows of " + std::to_string(told->epoch);
  return {};
}

} // namespace

void check_explained(const sorted_history& h, finding& e12) {
  for (const auto& e : h.all().effects) {
    const auto* t = h.find(e.task);
    const auto why = unexplained(t, find_step(t, e.step), e);
    e12.expect(why.empty(), [&] { return "task " + h.text(e.task) + " step " + h.text(e.step) + ": " + why; });
  }
}

} // namespace checker
