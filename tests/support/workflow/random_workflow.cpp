#include "tests/support/workflow/random_workflow.hpp"

#include "tests/support/workflow/definitions.hpp"

#include <algorithm>
#include <array>

namespace steadfast::tests {

using namespace workflow;

namespace {

span seconds(std::uint32_t n) {
  return span{std::int64_t{n} * 1000};
}

retry_policy random_retry(chooser& choose) {
  retry_policy p;
  p.attempts = 1 + choose.below(3);
  p.initial = span{1 + choose.below(2000)};
  p.cap = p.initial + seconds(choose.below(5));
  p.jitter_percent = choose.below(101);
  return p;
}

void connect(chooser& choose, definition& d, std::size_t i) {
  const auto how = choose.below(4);
  if (how == 0)
    return; // after the one before it
  d.steps[i].after.emplace();
  for (std::size_t j = 0; how > 1 && j < i; ++j) {
    if (choose.one_in(2))
      d.steps[i].after->push_back(d.steps[j].name);
  }
}

void add_condition(chooser& choose, definition& d, std::size_t i) {
  const auto before = ancestors(d);
  for (std::size_t j = 0; j < i; ++j) {
    if (before[i][j] && choose.one_in(4)) {
      const auto is = static_cast<condition::test>(1 + choose.below(8));
      const condition one{d.steps[j].name, "/x", is, "1"};
      const auto how = choose.below(8);
      d.steps[i].when = how == 0   ? condition{{}, {}, condition::test::negated, {}, {one}}
                        : how == 1 ? condition{{}, {}, condition::test::any, {}, {one, {"payload", "/x", is, "1"}}}
                        : how == 2 ? condition{{}, {}, condition::test::all, {}, {one, {"payload", "/x", is, "1"}}}
                                   : one;
    }
  }
}

step_definition random_step(chooser& choose, std::size_t i) {
  auto s = step_named("s" + std::to_string(i));
  s.complete_by = seconds(1 + choose.below(20));
  s.retry = random_retry(choose);
  s.threshold = 1 + choose.below(2);
  s.cool_off = {seconds(1 + choose.below(20)), choose.below(2)};
  s.exhausted = choose.one_in(3) ? on_exhausted::error : on_exhausted::undo;
  if (choose.one_in(3))
    s.probe = probe{"asker", seconds(1 + choose.below(5))};
  if (choose.one_in(4)) {
    s.compensation.reset();
  } else {
    s.compensation->complete_by = seconds(1 + choose.below(10));
    s.compensation->retry = random_retry(choose);
  }
  return s;
}

/// Some may end later than their call.
void let_end_later(chooser& choose, step_definition& s) {
  if (!choose.one_in(4))
    return;
  s.later = later_rule{span{1000 + choose.below(14'000)}, span{0}};
  if (choose.one_in(2))
    s.later->heartbeat = span{1 + choose.below(1000)};
}

/// Some are called again until their result has what they want.
void let_repeat(chooser& choose, step_definition& s) {
  if (!choose.one_in(6))
    return;
  s.probe.reset();
  s.repeat.emplace();
  s.repeat->until = {"", "/x", choose.one_in(2) ? condition::test::present : condition::test::equals, "", {}};
  if (s.repeat->until.is == condition::test::equals)
    s.repeat->until.literal = "1";
  s.repeat->every = span{1 + choose.below(5000)};
  s.repeat->at_most = 2 + choose.below(4);
  s.repeat->passes_at_limit = choose.one_in(2);
}

/// Some steps only wait: for a time, or until a moment that the payload or an earlier result may name.
void let_wait_only(chooser& choose, definition& d, std::size_t i) {
  if (!choose.one_in(6))
    return;
  step_definition s;
  s.name = d.steps[i].name;
  s.after = d.steps[i].after;
  s.when = d.steps[i].when;
  s.wait.emplace();
  s.wait->length = span{1 + choose.below(15'000)};
  if (choose.one_in(3)) {
    s.wait->what = choose.one_in(2) ? wait_rule::kind::event : wait_rule::kind::person;
    s.wait->name = "told";
    s.wait->question = "yes?";
    s.wait->choices = {"yes", "no"};
    s.wait->passes_at_limit = choose.one_in(2);
    s.wait->remind_every = span{choose.below(2) * 1000};
    s.wait->at = {source::kind::literal, {}, {}, choose.one_in(2) ? "\"k\"" : "\"\""};
  } else if (choose.one_in(4)) {
    s.wait->what = wait_rule::kind::until;
    s.wait->length = span{0};
    s.wait->at.pointer = "/n"; // in each payload of submission_of, and no moment
    if (!s.when)               // else it would begin for certain, and the submission be refused
      s.when = condition{std::string{payload_word}, "/n", condition::test::equals, "1"};
    const auto before = ancestors(d);
    for (std::size_t j = 0; j < i; ++j)
      if (before[i][j] && choose.one_in(3)) {
        s.wait->at.from = source::kind::result;
        s.wait->at.step = d.steps[j].name;
        s.wait->at.pointer = "/x";
      }
  }
  d.steps[i] = std::move(s);
}

/// Some steps start a task.
void let_start_child(chooser& choose, definition& d, std::size_t i) {
  if (!choose.one_in(5))
    return;
  step_definition s;
  s.name = d.steps[i].name;
  s.after = d.steps[i].after;
  s.when = d.steps[i].when;
  s.wait.emplace();
  s.wait->what = wait_rule::kind::child;
  s.wait->name = "child";
  if (choose.one_in(2)) {
    s.wait->what = wait_rule::kind::items;
    s.wait->at.pointer = "/n"; // in each payload of submission_of, and no array
    s.wait->at_a_time = 1 + choose.below(3);
    s.wait->may_fail = choose.below(3);
    s.wait->may_fail_is_percentage = choose.one_in(4);
  }
  d.steps[i] = std::move(s);
}

attempt_ref random_ref(chooser& choose, const task& t, std::size_t i) {
  attempt_ref ref{i, 1, t.lock_epoch};
  if (i < t.steps.size())
    ref.attempt = t.steps[i].attempt;
  if (choose.one_in(8))
    ref.attempt += choose.below(3) - 1;
  if (choose.one_in(12))
    ref.epoch += choose.below(3) - 1;
  return ref;
}

std::size_t random_index(chooser& choose, const task& t) {
  const auto n = static_cast<std::uint32_t>(t.steps.size());
  if (choose.one_in(20))
    return n + choose.below(2);
  std::size_t i = choose.below(n);
  if (!choose.one_in(4)) { // mostly a step about which there is something to say
    for (std::size_t k = 0; k < n && t.steps[i].doing == attempt_action::none && !t.steps[i].needs_review; ++k)
      i = (i + 1) % n;
  }
  return i;
}

std::vector<fact> random_facts(chooser& choose) {
  if (choose.one_in(3))
    return {};
  return {{"/x", std::to_string(1 + choose.below(2))}};
}

event agent_event(chooser& choose, const attempt_ref& ref) {
  switch (choose.below(8)) {
    default: return attempt_succeeded{ref, blob{"{}"}, random_facts(choose)};
    case 3: return attempt_failed{ref, false, choose.one_in(2), seconds(choose.below(3)), "no luck"};
    case 4: return attempt_failed{ref, true, choose.one_in(3), span{0}, "not allowed"};
    case 5: return attempt_declined{ref, seconds(choose.below(3)), "full"};
    case 6: return attempt_stopped{ref, choose.one_in(2)};
    case 7: return probe_denied{ref};
  }
}

/// Of a step that ends later, mostly.
event token_event(chooser& choose, const task& t) {
  std::size_t i = choose.below(static_cast<std::uint32_t>(t.steps.size()));
  for (std::size_t k = 0; k < t.steps.size() && !ends_later(t.steps[i]); ++k)
    i = (i + 1) % t.steps.size();
  const token_use by{i, t.steps[i].attempt, choose.one_in(8) ? "e" : "d"};
  switch (choose.below(6)) {
    default: return later_completed{by, blob{"{}"}, random_facts(choose)};
    case 3: return later_failed{by, choose.one_in(2), choose.one_in(2), seconds(choose.below(3)), "no luck"};
    case 4:
    case 5: return later_extended{by, span{choose.below(3) * 1000}, "half"};
  }
}

/// Of a step that waits to be told, mostly.
event told_event(chooser& choose, const task& t) {
  std::size_t i = choose.below(static_cast<std::uint32_t>(t.steps.size()));
  for (std::size_t k = 0; k < t.steps.size() && t.steps[i].state != step_state::waiting; ++k)
    i = (i + 1) % t.steps.size();
  if (choose.one_in(2))
    return event_came{i, 1 + choose.below(9), blob{"{}"}, random_facts(choose), "bank"};
  return answered{i,          t.steps[i].attempt,   choose.one_in(8) ? "maybe" : "yes",
                  blob{"{}"}, random_facts(choose), {"ann", "so"}};
}

/// Of a step that has a child, mostly.
event child_event(chooser& choose, const task& t) {
  std::size_t i = choose.below(static_cast<std::uint32_t>(t.steps.size()));
  const auto has_child = [&] {
    return t.steps[i].state == step_state::waiting || t.steps[i].state == step_state::compensating
           || t.steps[i].state == step_state::compensation_failed;
  };
  for (std::size_t k = 0; k < t.steps.size() && !has_child(); ++k)
    i = (i + 1) % t.steps.size();
  return child_ended{i, {static_cast<child_state>(1 + choose.below(6)), "so", blob{"{}"}, random_facts(choose)}};
}

event supervisor_event(chooser& choose, const task& t) {
  const auto i = random_index(choose, t);
  const auto attempt = i < t.steps.size() ? t.steps[i].attempt : 1;
  switch (choose.below(8)) {
    default: return round_failed{i, attempt};
    case 4: return deadline_passed{};
    case 5: return lock_released{};
    case 6: return lock_lapsed{};
    case 7: return wait_noticed{i};
  }
}

} // namespace

event person_event(chooser& choose, const task& t) {
  const auto i = random_index(choose, t);
  const by ann{"ann", "so"};
  switch (choose.below(8)) {
    default: return suspended{ann};
    case 1: return resumed{ann};
    case 2: return resumed{ann};
    case 3: return step_retried{i, choose.one_in(3), ann};
    case 4: return step_skipped{i, blob{"1"}, random_facts(choose), ann};
    case 5: return payload_edited{blob{"2"}, ann};
    case 6: return undo_requested{ann};
    case 7: return cancelled{ann};
  }
}

definition random_definition(chooser& choose, bool may_wait, bool may_start) {
  definition d;
  d.name = "w";
  const auto steps = 1 + choose.below(6);
  for (std::size_t i = 0; i < steps; ++i)
    d.steps.push_back(random_step(choose, i));
  for (std::size_t i = 0; i < steps; ++i) {
    connect(choose, d, i);
    add_condition(choose, d, i);
    if (may_wait) {
      let_end_later(choose, d.steps[i]);
      let_repeat(choose, d.steps[i]);
      let_wait_only(choose, d, i);
    }
    if (may_start)
      let_start_child(choose, d, i);
  }
  d.deadline = choose.one_in(3) ? seconds(30) : seconds(600);
  d.undo_reserve = seconds(choose.below(10));
  d.grace = span{500 * choose.below(5)};
  d.alert_after = seconds(1 + choose.below(5));
  d.takeovers_max = 1 + choose.below(3);
  return d;
}

definition large_definition(chooser& choose) {
  auto d = random_definition(choose);
  const auto few = d.steps.size();
  const std::size_t more = std::array<std::size_t, 5>{0, 3, 20, 140, 240}.at(choose.below(5));
  for (std::size_t k = 0; k < more; ++k) {
    auto s = d.steps[k % few];
    const auto i = d.steps.size();
    s.name = "t" + std::to_string(k);
    s.after.reset();
    s.when.reset();
    if (s.wait) {
      s.wait = wait_rule{};
      s.wait->length = seconds(1);
    }
    const auto before = i - 1 - choose.below(std::min<std::uint32_t>(6, static_cast<std::uint32_t>(i)));
    if (choose.one_in(2))
      s.after = {d.steps[before].name};
    if (s.after && choose.one_in(4))
      s.when = condition{d.steps[before].name, "/x", condition::test::equals, "1"};
    d.steps.push_back(std::move(s));
  }
  d.deadline = std::chrono::hours{24};
  return d;
}

event random_event(chooser& choose, const task& t) {
  const auto ref = random_ref(choose, t, random_index(choose, t));
  switch (choose.below(24)) {
    default: return agent_event(choose, ref);
    case 19:
    case 20: return told_event(choose, t);
    case 21:
    case 22:
    case 23: return child_event(choose, t);
    case 16: return attempt_taken_on{ref, "d"};
    case 17:
    case 18: return token_event(choose, t);
    case 6:
    case 7: return taken{choose.one_in(30) ? "" : "s" + std::to_string(choose.below(2))};
    case 8:
    case 9: return time_passed{};
    case 10:
    case 11: return attempt_expired{ref};
    case 12:
    case 13: return supervisor_event(choose, t);
    case 14: return person_event(choose, t);
    case 15: return taken{"s1"};
  }
}

instant random_moment(chooser& choose, const task& t, const definition& d, instant now) {
  instant later = now;
  switch (choose.below(8)) {
    default: return now;
    case 3: return now + span{1};
    case 4: return now + span{choose.below(5000)};
    case 5:
    case 6: later = next_due(t, d); break;
    case 7:
      later = never;
      for (const auto& s : t.steps) {
        if (s.not_before > now)
          later = std::min(later, s.not_before);
      }
  }
  return later == never || later < now ? now + seconds(1) : later;
}

} // namespace steadfast::tests
