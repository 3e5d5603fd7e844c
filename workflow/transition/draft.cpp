#include "workflow/transition/draft.hpp"

#include "workflow/definition/wait_end.hpp"
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

void record_act(draft& x, const by& person, std::string what) {
  auto& acts = x.t.acts;
  acts.push_back({x.now, clipped(person.who, note_size_max), std::move(what), clipped(person.why, note_size_max)});
  if (acts.size() > acts_max)
    acts.erase(acts.begin());
}

void let_pass(draft& x, std::size_t i, step_state how) {
  x.t.steps.change(i).state = how;
  x.passed.push_back(i);
}

void log_attempt(const draft& x, step& s, attempt_action action, std::string agent) {
  attempt_record line;
  line.number = ++s.attempt;
  line.action = action;
  line.epoch = x.t.lock_epoch;
  line.started_at = x.now;
  line.agent = std::move(agent);
  auto& lines = s.log.change();
  lines.push_back(std::move(line));
  if (lines.size() > attempts_logged_max) {
    lines.erase(lines.begin());
    ++s.log_dropped;
  }
}

void complete(draft& x, std::size_t i, blob result, std::vector<fact> facts) {
  const auto last = x.t.steps.last_order();
  let_pass(x, i, step_state::completed);
  auto& s = x.t.steps.change(i);
  s.maybe_done = false;
  s.completed_at = x.now;
  s.completed_order = last + 1;
  s.result = std::move(result);
  s.facts = std::move(facts);
  s.error.clear();
  tell_observer(x, notice_kind::step_completed, {}, x.definition_of(i).name);
}

void close_attempt(draft& x, std::size_t i, attempt_outcome outcome, std::string_view note) {
  auto& s = x.t.steps.change(i);
  s.doing = attempt_action::none;
  auto& line = s.log.change().back();
  line.outcome = outcome;
  line.ended_at = x.now;
  line.note = clipped(note, note_size_max);
}

void settle_later(draft& x, std::size_t i) {
  auto& s = x.t.steps.change(i);
  auto acts_until = s.complete_by;
  if (const auto& rule = x.definition_of(i).later; rule && s.log.back().action == attempt_action::perform)
    acts_until =
      std::max(acts_until, std::min(s.complete_by + silence_of(*rule), s.log.back().started_at + rule->limit));
  s.settles_at = std::max(s.settles_at, acts_until + x.d.grace);
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
