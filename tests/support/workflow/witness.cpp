#include "tests/support/workflow/witness.hpp"

#include "tests/support/workflow/scenario.hpp"

#include "workflow/overload.hpp"

#include <algorithm>

namespace steadfast::tests {

using namespace workflow;

namespace {

template <class Event>
concept names_a_person = requires(const Event& e) {
  e.person;
};

bool is_of_a_person(const event& e) {
  return std::visit([]<class Event>(const Event&) { return names_a_person<Event>; }, e);
}

std::optional<std::size_t> step_of(const event& e) {
  return std::visit(
    [](const auto& x) -> std::optional<std::size_t> {
      if constexpr (requires { x.ref; })
        return x.ref.step;
      else if constexpr (requires { x.step; })
        return x.step;
      else if constexpr (requires { x.by.step; })
        return x.by.step;
      else
        return std::nullopt;
    },
    e);
}

bool was_settled(const step& s) {
  return s.state == step_state::completed || s.state == step_state::skipped;
}

} // namespace

witness::witness(const definition& d, const task& t) : d_{d}, before_{ancestors(d)}, accounts_(t.steps.size()) {}

void witness::expect(bool holds, const std::string& sentence) {
  if (!holds)
    complaints_.push_back(sentence);
}

// What the event says of the attempt that was open before it.
void witness::hear(std::size_t i, const step& before, const event& e, instant now) {
  auto& account = accounts_[i];
  const auto attempt = before.attempt;
  const bool performed = before.doing == attempt_action::perform;
  const auto ended = [&](bool maybe_done) {
    if (!performed)
      return;
    if (account.ordered_twice.contains(attempt))
      return; // this was the end of one of the two
    account.quiet_at.erase(attempt);
    if (!maybe_done)
      account.may_have_acted.erase(attempt);
  };
  std::visit(
    overload{
      [&](const attempt_succeeded&) {
        ended(true);
        if (before.doing == attempt_action::compensate) {
          account.may_have_acted.clear();
        } else {
          account.may_have_acted.insert(attempt);
          if (before.key_generation == 0)
            account.quiet_at.clear(); // the key is decided: whatever still acts repeats it
        }
      },
      [&](const attempt_failed& x) {
        ended(x.maybe_done);
        account.refused_for_good = account.refused_for_good || (performed && x.permanent);
      },
      [&](const attempt_declined&) {
        ended(false);
        if (performed)
          --account.performs;
      },
      [&](const attempt_stopped& x) { ended(x.maybe_done); },
      [&](const attempt_taken_on& x) {
        if (x.unsettled)
          account.ordered_twice.insert(attempt);
        else if (!account.ordered_twice.contains(attempt))
          account.quiet_at[attempt] = before.complete_by + d_.grace; // from here on its token tells
      },
      [&](const later_completed&) {
        if (before.key_generation == 0)
          account.quiet_at.clear();
        else if (!account.ordered_twice.contains(attempt))
          account.quiet_at.erase(attempt);
      },
      [&](const later_failed& x) {
        if (account.ordered_twice.contains(attempt))
          return;
        account.quiet_at.erase(attempt);
        if (!x.maybe_done)
          account.may_have_acted.erase(attempt);
      },
      [&](const probe_denied&) { account.may_have_acted.clear(); },
      [&](const attempt_expired&) { expect(now >= before.complete_by, "an attempt expired before its complete-by"); },
      [&](const step_skipped&) {
        if (before.state == step_state::compensation_failed) // else what may have happened is undone all the same
          account.may_have_acted.clear();
      },
      [](const auto&) {},
    },
    e);
}

void witness::look_at_perform(std::size_t i, const task& before, const task& next) {
  auto& account = accounts_[i];
  const auto& name = d_.steps[i].name;
  expect(!is_undoing(next) && !is_undoing(before), name + " was ordered after undo began");
  expect(!was_settled(before.steps[i]), name + " was ordered again after it was settled");
  expect(!account.refused_for_good, name + " was ordered again after a permanent error");
  for (std::size_t p = 0; p < next.steps.size(); ++p)
    expect(!before_[i][p] || was_settled(next.steps[p]),
           name + " was ordered before " + d_.steps[p].name + " was done");
  account.may_have_acted.insert(next.steps[i].attempt);
  const auto& s = next.steps[i];
  account.quiet_at[s.attempt] = s.complete_by + d_.grace;
  if (const auto& rule = d_.steps[i].later) { // the answer that it was begun may be lost
    const auto silent_for = rule->heartbeat > span{0} ? rule->heartbeat : rule->limit;
    const auto until = std::min(s.complete_by + silent_for, s.log.back().started_at + rule->limit);
    account.quiet_at[s.attempt] = std::max(s.complete_by, until) + d_.grace;
  }
  ++account.performs;
  expect(account.performs <= attempts_limit(d_.steps[i]), name + " was ordered more often than it may be");
}

void witness::look_at_compensation(std::size_t i, const task& next, instant now) {
  const auto& name = d_.steps[i].name;
  expect(is_undoing(next), name + " is undone although the task goes forward");
  expect(!accounts_[i].may_have_acted.empty(), name + " is undone although it cannot have acted");
  for (std::size_t j = 0; j < accounts_.size(); ++j) {
    for (const auto& [attempt, at] : accounts_[j].quiet_at)
      expect(now >= at, name + " is undone while " + d_.steps[j].name + " can still act");
    expect(next.steps[j].doing != attempt_action::perform, name + " is undone while " + d_.steps[j].name + " runs");
    const bool given_up = next.steps[j].state == step_state::compensation_failed;
    const bool is_left = d_.steps[j].compensation && !accounts_[j].may_have_acted.empty() && !given_up;
    expect(!before_[j][i] || !is_left, name + " is undone before " + d_.steps[j].name);
  }
}

void witness::look_at_step(std::size_t i, const task& before, const change& c, instant now) {
  const auto& old = before.steps[i];
  const auto& s = c.next.steps[i];
  expect(s.attempt >= old.attempt && s.attempt <= old.attempt + 1, "attempts do not count up by one");
  if (s.attempt > old.attempt && s.doing == attempt_action::perform)
    look_at_perform(i, before, c.next);
  if (s.attempt > old.attempt && s.doing == attempt_action::compensate)
    look_at_compensation(i, c.next, now);
  if (s.state == step_state::compensation_failed && old.state != step_state::compensation_failed)
    expect(std::any_of(c.alerts.begin(), c.alerts.end(), [&](const alert& a) { return a.step == d_.steps[i].name; }),
           d_.steps[i].name + " could not be undone and nobody was told");
  if (c.next.state == process_state::undone)
    expect(!d_.steps[i].compensation || accounts_[i].may_have_acted.empty(),
           d_.steps[i].name + " may have acted and the task is undone");
}

void witness::look_at_task(const task& before, const event& e, const change& c) {
  const auto& next = c.next;
  expect(next.lock_epoch >= before.lock_epoch, "the lock epoch fell");
  expect(next.revision == before.revision, "the rules touched the revision");
  if (has_ended(before) && next.state != before.state) {
    expect(is_of_a_person(e) || std::holds_alternative<child_ended>(e), "an outcome changed by itself");
    expect(next.generation == before.generation + 1, "an outcome changed without a new generation");
  }
  if (next.state == process_state::error && before.state != process_state::error)
    expect(!c.alerts.empty(), "the task went to error and nobody was told");
  if (is_of_a_person(e))
    expect(!next.acts.empty() && next.acts.back().what != "", "a person's act left no trace");
  if (before.state == process_state::undoing && !is_of_a_person(e))
    expect(next.state == process_state::undoing || has_ended(next), "an undo turned round by itself");
}

// A scheduler that restarts says the commands again from the stored task: nothing may be said only once.
void witness::look_at_commands(const change& c) {
  const auto again = texts_of(outstanding(c.next));
  for (const auto& text : texts_of(c.commands)) {
    const bool once = text == "let go" || (text.starts_with("stop") && c.next.state == process_state::error);
    expect(once || std::find(again.begin(), again.end(), text) != again.end(), "not outstanding: " + text);
  }
}

void witness::look_at_messages(const task& before, const change& c) {
  auto sequence = before.notices;
  for (const auto& n : c.notices)
    expect(n.sequence == ++sequence, "the notices are not numbered one by one");
  expect(c.next.notices == sequence, "the task does not know its last notice");
  const auto told = [&c](notice_kind k) {
    return std::any_of(c.notices.begin(), c.notices.end(), [k](const notice& n) { return n.kind == k; });
  };
  if (c.next.state != before.state && has_ended(c.next)) {
    const auto kind = c.next.state == process_state::processed ? notice_kind::processed
                      : c.next.state == process_state::undone  ? notice_kind::undone
                                                               : notice_kind::error;
    expect(told(kind), "the end of the task was not told");
  }
}

void witness::saw(const task& before, const event& e, const change& c, instant now) {
  if (c.result != event_status::applied) {
    expect(c.next == before, "a refused or ignored event changed the task");
    expect(c.notices.empty() && c.alerts.empty() && c.commands.empty(), "a refused or ignored event had effects");
    expect(!c.reason.empty(), "a refused or ignored event has no reason");
    return;
  }
  expect(c.next != before, "an applied event changed nothing");
  expect(!c.evidence, "an applied event left evidence");
  if (is_of_a_person(e)) {
    for (auto& account : accounts_) {
      account.performs = 0;
      account.refused_for_good = false;
    }
  }
  if (std::holds_alternative<taken>(e))
    for (std::size_t i = 0; i < accounts_.size(); ++i)
      if (before.steps[i].doing == attempt_action::perform)
        accounts_[i].ordered_twice.insert(before.steps[i].attempt);
  if (const auto i = step_of(e))
    hear(*i, before.steps[*i], e, now);
  for (std::size_t i = 0; i < accounts_.size(); ++i)
    look_at_step(i, before, c, now);
  look_at_task(before, e, c);
  look_at_commands(c);
  look_at_messages(before, c);
}

} // namespace steadfast::tests
