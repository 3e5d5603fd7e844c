#include "examples/checker/rules/rules.hpp"

#include <algorithm>
#include <optional>

// E6, E7, E8, E9: how steps were tried.

namespace checker {

namespace {

std::string step_text(const sorted_history& h, const task_case& c, std::size_t i) {
  return "task " + h.text(c.task->id) + " step " + h.text(c.task->steps[i].name);
}

std::string number_text(std::uint64_t n) {
  return std::to_string(n);
}

} // namespace

/// The attempt that completed the step: a do or a probe that succeeded at that very moment, or else the do. A probe
/// with the answer "it did not happen" succeeds too, perhaps in the same millisecond. Of a step that is repeated the
/// last call counts.
std::optional<std::uint32_t> completing_attempt(const step& s, const evidence& seen) {
  const auto& denied = seen.denying_probes;
  for (const auto& a : s.log)
    if (a.succeeded && a.action != action::undo && a.ended_ms && a.ended_ms == s.completed_ms
        && std::find(denied.begin(), denied.end(), a.number) == denied.end())
      return a.number;
  std::optional<std::uint32_t> done;
  for (const auto& a : s.log)
    if (a.succeeded && a.action == action::perform && (!done || s.is_repeated))
      done = a.number;
  return s.is_repeated && !s.completed_ms ? std::nullopt : done;
}

void check_not_repeated(const sorted_history& h, const task_case& c, finding& e6) {
  for (std::size_t i = 0; i < c.task->steps.size(); ++i) {
    const auto completed = completing_attempt(c.task->steps[i], c.steps[i]);
    if (!completed)
      continue;
    std::uint32_t highest = 0;
    for (const auto& a : c.task->steps[i].log)
      if (a.action == action::perform)
        highest = std::max(highest, a.number);
    for (const auto& a : c.steps[i].do_attempts)
      highest = std::max(highest, a.number);
    e6.expect(highest <= *completed, [&] {
      return step_text(h, c, i) + " completed by attempt " + number_text(*completed) + ", and attempt "
             + number_text(highest) + " was sent";
    });
  }
}

namespace {

std::optional<std::int64_t> first_do_started_ms(const step& s) {
  for (const auto& a : s.log)
    if (a.action == action::perform && a.started_ms)
      return a.started_ms;
  return std::nullopt;
}

/// Whether step `i` was sent out before step `p` was done; nothing when nobody knows.
std::optional<bool> came_too_early(const sorted_history& h, const task_case& c, std::size_t i, std::size_t p) {
  const auto& after = c.steps[i];
  const auto& first = c.task->steps[p];
  if (after.first_do_ns && (h.is_logged(first) || c.steps[p].first_effect_ns))
    return !c.steps[p].first_effect_ns || *c.steps[p].first_effect_ns > *after.first_do_ns;
  const auto started = first_do_started_ms(c.task->steps[i]);
  if (started && first.completed_ms && h.is_unlogged(first))
    return *first.completed_ms > *started;
  return std::nullopt;
}

/// Whether step `p` was undone while step `i`, behind it, was not.
std::optional<bool> undone_too_early(const task_case& c, std::size_t i, std::size_t p) {
  const auto& before = c.steps[p];
  const auto& behind = c.steps[i];
  if (!before.first_undo_ns || !behind.first_undo_ns || c.alerted || c.is_child_disturbed || c.task->acts > 0)
    return std::nullopt;
  return !behind.first_good_undo_ns || *behind.first_good_undo_ns > *before.first_undo_ns;
}

/// A person may have skipped it, and then it was undone: nobody knew whether it had acted.
bool was_skipped(const task& t, const step& s) {
  return s.state == step_state::skipped || (t.acts > 0 && !s.completed_ms);
}

} // namespace

void check_order(const sorted_history& h, const task_case& c, finding& e7) {
  const auto& steps = c.task->steps;
  for (std::size_t i = 0; i < steps.size(); ++i)
    for (std::size_t p = 0; p < steps.size(); ++p) {
      if (!c.before[i][p] || was_skipped(*c.task, steps[p]))
        continue;
      if (const auto early = came_too_early(h, c, i, p))
        e7.expect(!*early,
                  [&] { return step_text(h, c, i) + " was sent before " + h.text(steps[p].name) + " was done"; });
      if (const auto early = undone_too_early(c, i, p))
        e7.expect(!*early, [&] { return step_text(h, c, p) + " was undone before " + h.text(steps[i].name); });
    }
}

namespace {

/// Attempts that were declined or stopped, and those that the store has dropped, since they may have been.
bool is_uncounted(const step& s, std::uint32_t attempt) {
  const auto line =
    std::find_if(s.log.begin(), s.log.end(), [&](const checker::attempt& a) { return a.number == attempt; });
  return line == s.log.end() ? s.is_log_cut : line->uncounted;
}

} // namespace

void check_limits(const sorted_history& h, const task_case& c, finding& e8) {
  for (std::size_t i = 0; i < c.task->steps.size(); ++i) {
    const auto& s = c.task->steps[i];
    if (s.attempts_limit == 0)
      continue;
    const auto limit = s.attempts_limit * (std::uint64_t{1} + c.task->acts);
    const auto stored = std::count_if(s.log.begin(), s.log.end(),
                                      [](const attempt& a) { return a.action == action::perform && !a.uncounted; });
    const auto& seen = c.steps[i].do_attempts;
    const auto sent =
      std::count_if(seen.begin(), seen.end(), [&](const seen_attempt& a) { return !is_uncounted(s, a.number); });
    const auto used = static_cast<std::uint64_t>(std::max(stored, sent));
    e8.expect(used <= limit, [&] {
      return step_text(h, c, i) + " was tried " + number_text(used) + " times, the limit is " + number_text(limit);
    });
  }
}

namespace {

/// Sorts by number; the attempts sent without an epoch are left out.
std::vector<seen_attempt> by_number(std::vector<seen_attempt> seen) {
  std::erase_if(seen, [](const seen_attempt& a) { return a.epoch_min == 0; });
  std::sort(seen.begin(), seen.end(), [](const auto& a, const auto& b) { return a.number < b.number; });
  return seen;
}

/// Do, undo and probe share one count, so their epochs are one sequence.
void check_epochs_seen(const sorted_history& h, const task_case& c, std::size_t i, finding& e9) {
  auto seen = c.steps[i].do_attempts;
  seen.insert(seen.end(), c.steps[i].undo_attempts.begin(), c.steps[i].undo_attempts.end());
  const auto sorted = by_number(std::move(seen));
  for (std::size_t n = 1; n < sorted.size(); ++n)
    e9.expect(sorted[n - 1].epoch_max <= sorted[n].epoch_min, [&] {
      return step_text(h, c, i) + " attempt " + number_text(sorted[n].number) + " was sent under epoch "
             + number_text(sorted[n].epoch_min) + ", attempt " + number_text(sorted[n - 1].number) + " under "
             + number_text(sorted[n - 1].epoch_max);
    });
}

} // namespace

void check_epochs(const sorted_history& h, const task_case& c, finding& e9) {
  for (std::size_t i = 0; i < c.task->steps.size(); ++i) {
    const auto& log = c.task->steps[i].log;
    for (std::size_t n = 1; n < log.size(); ++n)
      e9.expect(log[n - 1].epoch <= log[n].epoch, [&] {
        return step_text(h, c, i) + " attempt " + number_text(log[n].number) + " is stored under epoch "
               + number_text(log[n].epoch) + ", the one before under " + number_text(log[n - 1].epoch);
      });
    check_epochs_seen(h, c, i, e9);
  }
}

} // namespace checker
