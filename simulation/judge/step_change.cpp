#include "simulation/judge/step_change.hpp"

#include <algorithm>

namespace steadfast::simulation {

using workflow::attempt_action;
using workflow::attempt_outcome;
using workflow::step_state;

namespace {

/// The attempt that was open before and has ended, from the story; null: none has.
const workflow::attempt_record* ended_in(const workflow::step& was, const workflow::step& is) {
  if (was.doing == attempt_action::none && !workflow::ends_later(was))
    return nullptr;
  const auto found =
    std::find_if(is.log.begin(), is.log.end(), [&](const auto& line) { return line.number == was.attempt; });
  return found == is.log.end() || found->outcome == attempt_outcome::open ? nullptr : &*found;
}

/// The shortest wait after the first failures of a round: it only grows.
workflow::span least_wait(const workflow::retry_policy& p) {
  const auto first = std::min(p.initial, p.cap);
  return std::max(first - first * p.jitter_percent / 100, workflow::span{1});
}

struct step_change {
  const workflow::step_definition& d;
  const workflow::step& was;
  const workflow::step& is;
  bool by_person; ///< a person may do what the rules do not
  bool undoing;   ///< the task, afterwards, or it is undone
};

/// If another attempt has begun in the same change, nobody knows how long this one had: whoever ended it may use a
/// clock that was set, or one behind the store's.
std::string wrong_time(const step_change& x, const workflow::attempt_record& ended) {
  if (x.is.attempt != x.was.attempt)
    return {};
  const bool ended_later = workflow::ends_later(x.was);
  auto complete_by = ended_later ? x.was.not_before : x.is.complete_by;
  if (x.d.later) // its agent may say that it was begun when the time for all of it is over
    complete_by = std::min(complete_by, ended.started_at + x.d.later->limit);
  if (ended.outcome == attempt_outcome::expired && ended.ended_at < complete_by)
    return "has expired before its complete-by (P13)";
  const bool was_heard =
    ended.outcome == attempt_outcome::succeeded || ended.outcome == attempt_outcome::failed_transient;
  if (was_heard && !ended_later && ended.ended_at >= x.is.complete_by)
    return "was heard at its complete-by or later (P11)";
  return {};
}

/// Of an attempt that failed for now and may be tried again.
std::string wrong_round(const step_change& x, const workflow::attempt_record& ended) {
  const bool is_undo = ended.action == attempt_action::compensate;
  if (ended.outcome != attempt_outcome::failed_transient || x.undoing != is_undo || (is_undo && !x.d.compensation))
    return {};
  const auto& retry = is_undo ? x.d.compensation->retry : x.d.retry;
  if (x.is.tries > retry.attempts)
    return "was tried more often than its round allows (P14)";
  if (x.is.needs_review)
    return {};
  if (x.is.doing != attempt_action::none || x.is.not_before < ended.ended_at + least_wait(retry))
    return "is tried again without its back-off (P14)";
  return {};
}

/// Only the service itself can say for certain that it happened, or that it did not.
bool forgets_doubt(const step_change& x, const workflow::attempt_record* ended) {
  const bool is_settled =
    ended && (ended->action != attempt_action::perform || ended->outcome == attempt_outcome::succeeded);
  const bool is_reversed = x.is.state == step_state::compensated || x.is.state == step_state::compensating;
  const bool is_persons = x.by_person && x.is.state != step_state::skipped;
  // It is asked for again by its id, perhaps with its end told at once, or has told that nothing of it is in place.
  const bool is_of_child = workflow::starts_child(x.d)
                           && (x.is.state == step_state::waiting || x.is.state == step_state::not_started
                               || x.is.state == step_state::completed || x.is.state == step_state::failed
                               || x.is.state == step_state::skipped);
  return x.was.maybe_done && !x.is.maybe_done && !is_settled && !is_reversed && !is_persons && !is_of_child;
}

std::string wrong_in_step(const step_change& x) {
  const auto* ended = ended_in(x.was, x.is);
  if (ended)
    if (auto wrong = wrong_time(x, *ended); !wrong.empty())
      return wrong;
  if (ended && !x.by_person)
    if (auto wrong = wrong_round(x, *ended); !wrong.empty())
      return wrong;
  if (x.is.failure_count > x.was.failure_count + (x.was.needs_review || ended ? 1 : 0))
    return "has a failed round counted that there was not (P14)";
  if (forgets_doubt(x, ended))
    return "may have acted, and that was forgotten (P15)";
  return {};
}

/// Once one of its steps was started, a task that nobody has is put off no longer than any of them waits.
bool is_put_off_for_nothing(const workflow::task& t) {
  const bool was_started =
    std::any_of(t.steps.begin(), t.steps.end(), [](const workflow::step& s) { return s.attempt > 0; });
  return workflow::is_claimable(t) && was_started && t.not_before != workflow::unset
         && std::all_of(t.steps.begin(), t.steps.end(), [&](const workflow::step& s) {
              const bool has_passed =
                s.state == workflow::step_state::skipped || s.state == workflow::step_state::completed;
              return s.not_before < t.not_before || (has_passed && t.state == workflow::process_state::pending);
            });
}

} // namespace

std::vector<std::string> wrong_in_change(const workflow::definition& d, const workflow::task& before,
                                         const workflow::task& after) {
  std::vector<std::string> all;
  const bool by_person = before.acts != after.acts || before.generation != after.generation;
  const bool undoing = workflow::is_undoing(after) || after.state == workflow::process_state::undone;
  for (std::size_t i = 0; i < after.steps.size(); ++i) {
    const step_change x{d.steps[i], before.steps[i], after.steps[i], by_person, undoing};
    if (const auto wrong = wrong_in_step(x); !wrong.empty())
      all.push_back("step `" + d.steps[i].name + "` " + wrong);
  }
  if (is_put_off_for_nothing(after))
    all.emplace_back("waits for a moment that none of its steps waits for");
  return all;
}

} // namespace steadfast::simulation
