#include "workflow/transition/transition.hpp"

#include "workflow/transition/handlers.hpp"

#include <type_traits>
#include <utility>

namespace steadfast::workflow {

namespace {

bool is_open(const step& s) {
  return s.doing != attempt_action::none;
}

/// The attempt is not wanted any more: forward work while the task is being undone.
bool is_unwanted(const task& t, const step& s) {
  return is_undoing(t) && s.doing == attempt_action::perform;
}

void add_attempt_commands(std::vector<command>& out, const task& t, std::size_t i, bool fresh, bool was_unwanted) {
  const auto& s = t.steps[i];
  const auto step_number = i;
  if (is_unwanted(t, s)) {
    if (fresh || !was_unwanted)
      out.push_back(stop_attempt{step_number, s.attempt});
  } else if (fresh) {
    out.push_back(dispatch{step_number, s.attempt});
  }
  if (fresh)
    out.push_back(expire_at{step_number, s.attempt, s.complete_by});
}

void add_step_commands(std::vector<command>& out, const task* before, const task& next, std::size_t i) {
  const auto& s = next.steps[i];
  const step* old = before && before->lock_epoch == next.lock_epoch ? &before->steps[i] : nullptr;
  if (is_open(s)) {
    const bool fresh = !old || !is_open(*old) || old->attempt != s.attempt;
    add_attempt_commands(out, next, i, fresh, old && is_unwanted(*before, *old));
  } else if (s.not_before != unset && (!old || old->not_before != s.not_before)) {
    out.push_back(wake_at{i, s.not_before});
  }
}

/// What must be done now that the task has become `next`; without `before`, all that it stands for.
std::vector<command> commands_between(const task* before, const task& next) {
  std::vector<command> out;
  const auto add = [&](std::size_t i) { add_step_commands(out, before, next, i); };
  const bool only_what_changed =
    before && before->lock_epoch == next.lock_epoch && is_undoing(*before) == is_undoing(next);
  if (!next.locked_by.empty() && only_what_changed)
    each_difference(before->steps, next.steps, add);
  else if (!next.locked_by.empty())
    for (std::size_t i = 0; i < next.steps.size(); ++i)
      add(i);
  if (!before || before->locked_by.empty() || !next.locked_by.empty())
    return out;
  if (next.state == process_state::error)
    before->steps.each<step_mark::open>([&](std::size_t i) {
      out.push_back(stop_attempt{i, before->steps[i].attempt});
    });
  out.push_back(let_go{});
  return out;
}

/// It counts under its limit from when it is first taken, though it may rest at once, until it ends well. In error it
/// counts on: what it did is neither done nor undone, and a person may have it go on.
void count_under_limit(task& t, const definition& d, bool is_taken, instant now) {
  auto& place = t.limit.change();
  if (is_taken && place.begun_at == unset && d.limit && d.limit->per > span{0})
    place.begun_at = now;
  if (t.state == process_state::processed || t.state == process_state::undone)
    place.is_under_way = false;
  else if (is_taken)
    place.is_under_way = true;
}

template <class Event>
std::optional<late_reply> evidence_of(const draft& x, const Event& e, const ruling& r) {
  if constexpr (requires { e.ref; }) {
    if (r.is_late_reply)
      return late_reply{e.ref.step < x.d.steps.size() ? x.definition_of(e.ref.step).name : "?",
                        e.ref.attempt,
                        e.ref.epoch,
                        std::string{name_of(event{e})},
                        r.reason,
                        x.now};
  }
  return std::nullopt;
}

} // namespace

change apply(const task& t, const definition& d, const event& e, const clock_reading& clock, bool starts_nothing) {
  draft x{d, clock.now, t, {}, {}, starts_nothing, t.steps.is_caught_up(), {}};
  carry_over(x.t, d, clock);
  std::optional<late_reply> evidence;
  const auto r = std::visit(
    [&](const auto& what) {
      auto ruled = on(x, what);
      evidence = evidence_of(x, what, ruled);
      return ruled;
    },
    e);
  if (r.result != event_status::applied)
    return {r.result, r.reason, t, {}, {}, std::move(evidence), {}, r.is_too_early};
  if (!x.t.limit.empty())
    count_under_limit(x.t, d, std::holds_alternative<taken>(e), clock.now);
  x.t.steps.settle();
  x.t.steps.set_caught_up(x.is_caught_up && x.passed.empty());
  auto commands = commands_between(&t, x.t);
  return {event_status::applied, {}, std::move(x.t),     std::move(x.notices),
          std::move(x.alerts),   {}, std::move(commands)};
}

std::vector<command> outstanding(const task& t) {
  return commands_between(nullptr, t);
}

} // namespace steadfast::workflow
