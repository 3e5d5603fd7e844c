#include "workflow/task/waiting.hpp"

#include "workflow/task/compensation.hpp"
#include "workflow/text/name.hpp"

#include <algorithm>
#include <cctype>
#include <string_view>

namespace steadfast::workflow {
namespace {

/// Numbers outside of names become "n", and what follows "until" is left out.
std::string without_figures(std::string_view text) {
  std::string general;
  bool in_name = false;
  bool in_number = false;
  for (const char c : text.substr(0, text.find(" until "))) {
    in_name = in_name != (c == '`');
    const bool is_figure = !in_name && std::isdigit(static_cast<unsigned char>(c)) != 0;
    if (!is_figure)
      general += c;
    else if (!in_number)
      general += 'n';
    in_number = is_figure;
  }
  return general;
}

wait waits(std::string detail, instant since, bool is_meant = false) {
  auto cause = without_figures(detail);
  return {std::move(cause), std::move(detail), since, is_meant};
}

instant last_end(const step& s, instant otherwise) {
  return s.log.empty() || s.log.back().ended_at == unset ? otherwise : s.log.back().ended_at;
}

std::optional<wait> wait_of_step(const task& t, const definition& d, std::size_t i, instant now) {
  const auto& s = t.steps[i];
  const auto name = "step " + quoted(d.steps[i].name);
  if (s.needs_review)
    return waits(name + ": a round of attempts is used up, the supervisor decides", last_end(s, t.submitted_at));
  if (s.waiting_since != unset)
    return waits(name + ": " + (s.waiting_for.empty() ? "no agent takes it" : s.waiting_for), s.waiting_since);
  if (s.not_before <= now)
    return std::nullopt;
  if (ends_later(s))
    return waits(name + ": its agent has begun it, and ends it later", s.log.back().started_at, true);
  if (const auto& rule = d.steps[i].wait; s.state == step_state::waiting && rule && is_until_told(*rule))
    return waits(name + (rule->what == wait_rule::kind::event ? ": waits for an event" : ": waits for a person"),
                 s.log.back().started_at, true);
  if (starts_child(d.steps[i]) && (s.state == step_state::waiting || is_undo_of_child_awaited(s, d.steps[i])))
    return waits(name
                   + (is_over_items(d.steps[i])
                        ? (s.state == step_state::waiting ? ": waits for its items" : ": its items are undone")
                        : (s.state == step_state::waiting ? ": waits for its task" : ": its task is undone")),
                 s.log.back().started_at);
  if (s.state == step_state::waiting)
    return waits(name + ": sleeps", s.log.back().started_at, true);
  const bool is_cooling = s.cool_offs > 0 && s.failure_count == 0 && s.tries == 0;
  return waits(name + (is_cooling ? ": cooling off" : ": waits before the next attempt"), last_end(s, t.submitted_at));
}

} // namespace

instant suspended_at(const task& t) {
  const auto by = std::find_if(t.acts.rbegin(), t.acts.rend(), [](const act& a) { return a.what == "suspend"; });
  return by == t.acts.rend() ? t.submitted_at : by->at;
}

instant told_until(const step& s, const wait_rule& rule) {
  return s.log.back().started_at + rule.length;
}

bool was_started(const task& t) {
  return std::any_of(t.steps.begin(), t.steps.end(), [](const step& s) { return s.attempt > 0; });
}

std::optional<wait> wait_of(const task& t, const definition& d, instant now) {
  if (has_ended(t) || has_open_attempt(t))
    return std::nullopt;
  if (t.state == process_state::suspended)
    return waits("suspended by a person", suspended_at(t), true);
  std::optional<wait> longest;
  for (std::size_t i = 0; i < t.steps.size(); ++i)
    if (auto w = wait_of_step(t, d, i, now); w && (!longest || w->since < longest->since))
      longest = std::move(w);
  if (longest || !is_claimable(t))
    return longest;
  if (t.not_before > now)
    return waits("not to be started before its time", t.submitted_at, true);
  if (waits_for_key(t))
    return wait{"in the queue: others with its key are under way, or no scheduler has room",
                "in the queue: others with the key " + quoted(t.limit->key)
                  + " are under way, or no scheduler has room",
                t.submitted_at};
  return waits("in the queue: no scheduler has room", t.submitted_at);
}

bool has_next_thing(const task& t, const definition& d) {
  const bool rests = has_ended(t) || t.state == process_state::suspended;
  return rests || is_claimable(t) || next_due(t, d) != never;
}

std::string why_stuck(const task& stored, const definition& d, const clock_reading& clock, span patience) {
  task t = stored;
  carry_over(t, d, clock);
  if (!has_next_thing(t, d))
    return "nothing is due, and no scheduler may take it";
  const auto due = t.state == process_state::suspended ? never : next_due(t, d);
  if (due <= instant_max && clock.now - due >= patience && due != unset)
    return "what was due was not taken up";
  return {};
}

} // namespace steadfast::workflow
