#include "examples/checker/rules/rules.hpp"

#include <algorithm>
#include <map>
#include <utility>

// E21, E23, E24: what schedules, repeated steps and replacing submissions do again, and what they must not.

namespace checker {

namespace {

std::string the_task(const sorted_history& h, const task& t) {
  return "task " + h.text(t.id);
}

std::string the_step(const sorted_history& h, const task_case& c, std::size_t i) {
  return the_task(h, *c.task) + " step " + h.text(c.task->steps[i].name);
}

/// What is wrong with the task of a schedule; empty: nothing.
std::string why_not_of_moment(const task& t, const schedule& s) {
  if (!t.moment_ms)
    return "has no moment in its id";
  if (*t.moment_ms % s.every_ms != 0)
    return "is of a moment that is none of its schedule";
  if (t.workflow != s.workflow)
    return "is of another workflow than its schedule says";
  if (t.moment_told_ms && t.moment_told_ms != t.moment_ms)
    return "has another moment in its payload";
  if (t.submitted_ms && *t.submitted_ms < *t.moment_ms)
    return "was made " + std::to_string(*t.moment_ms - *t.submitted_ms) + " ms before its moment";
  return {};
}

} // namespace

void check_moments(const sorted_history& h, finding& e21) {
  std::map<std::pair<names::id, std::int64_t>, const task*> made;
  for (const auto& t : h.all().tasks) {
    const auto known = h.all().schedules.find(t.schedule);
    if (known == h.all().schedules.end() || t.parent != 0)
      continue;
    const auto why = why_not_of_moment(t, known->second);
    e21.expect(why.empty(), [&] { return the_task(h, t) + " " + why; });
    if (!t.moment_ms)
      continue;
    const auto [other, is_first] = made.try_emplace({t.schedule, *t.moment_ms}, &t);
    e21.expect(is_first, [&, other = other] {
      return the_task(h, t) + " is of the same moment as task " + h.text(other->second->id);
    });
  }
}

namespace {

bool holds(const std::vector<std::uint32_t>& in, std::uint32_t n) {
  return std::find(in.begin(), in.end(), n) != in.end();
}

std::uint32_t last_do(const task_case& c, std::size_t i) {
  std::uint32_t last = 0;
  for (const auto& a : c.steps[i].do_attempts)
    last = std::max(last, a.number);
  return last;
}

/// The client's word, or else the store's; 0: it is no step that is repeated.
std::uint64_t calls_max_of(const sorted_history& h, const task& t, const step& s) {
  const auto client = h.all().clients.find(t.id);
  if (client == h.all().clients.end())
    return s.calls_max;
  const auto told = client->second.most_calls.find(s.name);
  return told == client->second.most_calls.end() ? s.calls_max : told->second;
}

/// An attempt that the store counts as a call, and that was answered in one way only.
bool has_finished(const attempt& a, const evidence& seen) {
  return a.succeeded && a.action == action::perform && holds(seen.finished, a.number)
         && !holds(seen.unfinished, a.number);
}

void check_end(const sorted_history& h, const task_case& c, std::size_t i, std::uint64_t calls, std::uint64_t most,
               finding& e23) {
  const auto& s = c.task->steps[i];
  const auto& seen = c.steps[i];
  const auto completed = completing_attempt(s, seen);
  if (c.task->state != process_state::processed || s.state != step_state::completed || !completed
      || (seen.finished.empty() && seen.unfinished.empty()))
    return;
  const bool may_pass = calls >= most; // it may be completed with whatever the last call brought
  e23.expect(may_pass || holds(seen.finished, *completed), [&] {
    return the_step(h, c, i) + " was completed by attempt " + std::to_string(*completed)
           + ", to which its service answered that it had not finished";
  });
}

void check_calls_of_step(const sorted_history& h, const task_case& c, std::size_t i, std::uint64_t most, finding& e23) {
  const auto& s = c.task->steps[i];
  const auto calls = static_cast<std::uint64_t>(std::count_if(
    s.log.begin(), s.log.end(), [](const attempt& a) { return a.succeeded && a.action == action::perform; }));
  e23.expect(calls <= most, [&] {
    return the_step(h, c, i) + " was called " + std::to_string(calls) + " times, and may be " + std::to_string(most)
           + " times";
  });
  for (const auto& a : s.log)
    if (has_finished(a, c.steps[i]))
      e23.expect(last_do(c, i) <= a.number, [&] {
        return the_step(h, c, i) + " was called again after attempt " + std::to_string(a.number)
               + ", to which its service answered that it had finished";
      });
  check_end(h, c, i, calls, most, e23);
}

} // namespace

void check_calls(const sorted_history& h, const task_case& c, finding& e23) {
  if (c.task->acts > 0)
    return;
  for (std::size_t i = 0; i < c.task->steps.size(); ++i)
    if (const auto most = calls_max_of(h, *c.task, c.task->steps[i]); most > 0)
      check_calls_of_step(h, c, i, most, e23);
}

void check_marks(const sorted_history& h, const task_case& c, finding& e24) {
  const auto& t = *c.task;
  if (t.acts > 0)
    return;
  for (const auto& e : c.effects)
    if (e.mark != 0)
      e24.expect(e.mark == t.mark, [&] {
        return the_task(h, t) + " step " + h.text(e.step) + " was called with " + h.text(e.mark) + ", the store has "
               + (t.mark == 0 ? "no mark" : h.text(t.mark));
      });
}

} // namespace checker
