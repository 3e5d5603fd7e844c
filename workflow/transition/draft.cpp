#include "workflow/transition/draft.hpp"

#include "workflow/text/name.hpp"

#include <algorithm>
#include <utility>

namespace steadfast::workflow {

void tell_observer(draft& x, notice_kind kind, std::string text, std::string step) {
  if (!x.t.reply_to.empty())
    x.notices.push_back({++x.t.notices, kind, std::move(step), std::move(text), x.now});
}

void raise_alert(draft& x, std::string kind, std::string text, std::string step) {
  x.alerts.push_back({std::move(kind), std::move(text), std::move(step), x.now});
}

void let_pass(draft& x, std::size_t i, step_state how) {
  x.t.steps.change(i).state = how;
  x.passed.push_back(i);
}

void close_attempt(draft& x, std::size_t i, attempt_outcome outcome, std::string_view note) {
  auto& s = x.t.steps.change(i);
  s.doing = attempt_action::none;
  auto& line = s.log.change().back();
  line.outcome = outcome;
  line.ended_at = x.now;
  line.note = clipped(note, note_size_max);
}

void settle_later(draft& x, step& s) {
  s.settles_at = std::max(s.settles_at, s.complete_by + x.d.grace);
}

void back_to_start(step& s) {
  s.state = s.maybe_done ? step_state::unknown : step_state::not_started;
}

void reset_counts(step& s) {
  s.tries = s.failure_count = s.cool_offs = 0;
  s.needs_review = s.wait_alerted = s.probe_given_up = false;
  s.waiting_since = unset;
  let_wait(s, unset, {});
}

void let_wait(step& s, instant until, std::string why) {
  s.not_before = until;
  s.waiting_for = std::move(why);
}

} // namespace steadfast::workflow
