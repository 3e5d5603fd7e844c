#include "examples/checker/rules/rules.hpp"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

// E14, E15, E16: what steps waited for.

namespace checker {

namespace {

std::string place_text(const sorted_history& h, const task_case& c, const step& s) {
  return "task " + h.text(c.task->id) + " step " + h.text(s.name);
}

std::string text_of(const sorted_history& h, const wake& w) {
  switch (w.what) {
    case wake::kind::event: return "event " + h.text(w.says);
    case wake::kind::complete: return "result " + h.text(w.says);
    case wake::kind::fail: return w.is_for_good ? "a failure for good" : "a failure for now";
    case wake::kind::extend: return "more time";
    case wake::kind::answer: return "answer " + h.text(w.says);
  }
  return {};
}

/// An event as a task sees it: all tries to send it.
struct sent_event {
  std::vector<names::id> steps;
  std::optional<std::int64_t> acknowledged_ns;
  bool is_taken = false;
};

std::unordered_map<names::id, sent_event> events_for(const std::vector<wake>& wakes) {
  std::unordered_map<names::id, sent_event> events;
  for (const auto& w : wakes) {
    if (w.what != wake::kind::event)
      continue;
    auto& e = events[w.says];
    e.steps.push_back(w.step);
    e.is_taken = e.is_taken || w.is_taken;
    if (w.acknowledged_ns)
      e.acknowledged_ns = std::min(e.acknowledged_ns.value_or(*w.acknowledged_ns), *w.acknowledged_ns);
  }
  return events;
}

/// It came to its limit although the event was there before it began, since a step before it had not acted yet.
bool missed(const task_case& c, std::size_t i, const sent_event& e) {
  const auto& s = c.task->steps[i];
  const bool has_waited = s.state == step_state::failed || (s.state == step_state::completed && s.result == 0);
  if (!has_waited || !e.acknowledged_ns || std::find(e.steps.begin(), e.steps.end(), s.name) == e.steps.end())
    return false;
  for (std::size_t p = 0; p < c.steps.size(); ++p)
    if (c.before[i][p] && c.steps[p].first_effect_ns && *e.acknowledged_ns < *c.steps[p].first_effect_ns)
      return true;
  return false;
}

} // namespace

void check_events(const sorted_history& h, const task_case& c, finding& e14) {
  const auto& wakes = h.wakes_of(c.task->id);
  for (const auto& s : c.task->steps)
    if (s.took_event)
      e14.expect(std::any_of(wakes.begin(), wakes.end(),
                             [&](const wake& w) { return w.what == wake::kind::event && may_have_woken(w, s); }),
                 [&] { return place_text(h, c, s) + " took an event that nobody sent to it: " + h.text(s.result); });
  for (const auto& [says, e] : events_for(wakes)) {
    std::size_t takers = 0;
    bool is_missed = e.is_taken;
    for (std::size_t i = 0; i < c.steps.size(); ++i) {
      takers += c.task->steps[i].result == says ? 1 : 0;
      is_missed = is_missed || missed(c, i, e);
    }
    const auto where = [&, says = says] { return "task " + h.text(c.task->id) + ": event " + h.text(says); };
    e14.expect(takers <= 1, [&] { return where() + " was taken by " + std::to_string(takers) + " steps"; });
    if (takers == 0)
      e14.expect(!is_missed, [&] { return where() + " was acknowledged, and the task has not taken it"; });
  }
}

namespace {

bool has_number(const std::vector<std::uint32_t>& in, std::uint32_t n) {
  return std::find(in.begin(), in.end(), n) != in.end();
}

bool is_ending(const wake& w) {
  return w.what == wake::kind::complete || w.what == wake::kind::fail;
}

bool is_same_ending(const wake& a, const wake& b) {
  return a.what == b.what && a.says == b.says && a.is_for_good == b.is_for_good;
}

/// An attempt whose agent answered nothing but that it ends later.
void check_ended_as_said(const sorted_history& h, const task_case& c, std::size_t i, const std::vector<wake>& wakes,
                         finding& e15) {
  const auto& s = c.task->steps[i];
  const auto& seen = c.steps[i];
  for (const auto& a : s.log) {
    if (!a.succeeded || a.action != action::perform || !has_number(seen.later, a.number)
        || has_number(seen.not_later, a.number))
      continue;
    e15.expect(std::any_of(wakes.begin(), wakes.end(),
                           [&](const wake& w) {
                             return w.what == wake::kind::complete && !w.is_refused && w.attempt == a.number
                                    && (s.state != step_state::completed || w.says == s.result);
                           }),
               [&] {
                 return place_text(h, c, s) + " attempt " + std::to_string(a.number)
                        + " was completed as nobody said: " + h.text(s.result);
               });
  }
}

/// What became of an attempt, one of whose endings was acknowledged.
std::string why_not_as_acknowledged(const sorted_history& h, const task_case& c, std::size_t i, const wake& w) {
  const auto& s = c.task->steps[i];
  const auto told = std::find_if(s.log.begin(), s.log.end(), [&](const attempt& a) { return a.number == w.attempt; });
  if (told == s.log.end())
    return s.is_log_cut ? "" : "the store does not know of that attempt";
  const bool is_completed = w.what == wake::kind::complete;
  if (told->action != action::perform || told->succeeded != is_completed)
    return is_completed ? "it was not completed" : "it was completed";
  if (is_completed && s.state == step_state::completed && s.result != w.says)
    return "the step has " + h.text(s.result);
  const auto& tried = c.steps[i].do_attempts;
  if (w.is_for_good
      && std::any_of(tried.begin(), tried.end(), [&](const seen_attempt& a) { return a.number > w.attempt; }))
    return "it was tried again";
  return {};
}

/// Of one token, or why two things that were acknowledged are one too many.
std::string contradiction(const wake& a, const wake& b) {
  if (a.attempt != b.attempt || !a.acknowledged_ns || !b.acknowledged_ns || !is_ending(a))
    return {};
  if (is_ending(b) && !is_same_ending(a, b))
    return "another ending was acknowledged";
  if (b.what == wake::kind::extend && b.sent_ns > *a.acknowledged_ns)
    return "it was extended after that";
  return {};
}

std::string why_wrong(const sorted_history& h, const task_case& c, std::size_t i, const std::vector<wake>& wakes,
                      const wake& ending) {
  for (const auto& other : wakes)
    if (auto why = contradiction(ending, other); !why.empty())
      return why;
  return why_not_as_acknowledged(h, c, i, ending);
}

std::vector<wake> wakes_of_step(const sorted_history& h, const task_case& c, std::size_t i,
                                bool (*is_of_kind)(wake::kind)) {
  std::vector<wake> found;
  for (const auto& w : h.wakes_of(c.task->id))
    if (w.step == c.task->steps[i].name && is_of_kind(w.what))
      found.push_back(w);
  return found;
}

} // namespace

void check_tokens(const sorted_history& h, const task_case& c, finding& e15) {
  for (std::size_t i = 0; i < c.steps.size(); ++i) {
    const auto wakes =
      wakes_of_step(h, c, i, [](wake::kind k) { return k != wake::kind::event && k != wake::kind::answer; });
    check_ended_as_said(h, c, i, wakes, e15);
    for (const auto& w : wakes) {
      if (!w.acknowledged_ns || !is_ending(w))
        continue;
      const auto why = why_wrong(h, c, i, wakes, w);
      e15.expect(why.empty(), [&] {
        return place_text(h, c, c.task->steps[i]) + " attempt " + std::to_string(w.attempt) + ": " + text_of(h, w)
               + " was acknowledged, and " + why;
      });
    }
  }
}

void check_answers(const sorted_history& h, const task_case& c, finding& e16) {
  for (std::size_t i = 0; i < c.steps.size(); ++i) {
    const auto& s = c.task->steps[i];
    const auto answers = wakes_of_step(h, c, i, [](wake::kind k) { return k == wake::kind::answer; });
    if (s.answer != 0)
      e16.expect(std::any_of(answers.begin(), answers.end(), [&](const wake& w) { return may_have_woken(w, s); }),
                 [&] { return place_text(h, c, s) + " has an answer that nobody gave: " + h.text(s.answer); });
    for (const auto& w : answers)
      if (w.acknowledged_ns)
        e16.expect(w.says == s.answer, [&] {
          return place_text(h, c, s) + ": " + text_of(h, w) + " was acknowledged, and the step has "
                 + (s.answer == 0 ? "none" : h.text(s.answer));
        });
  }
}

} // namespace checker
