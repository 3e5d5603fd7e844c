#include "tests/support/workflow/scenario.hpp"

#include "workflow/overload.hpp"
#include "workflow/supervision/review.hpp"
#include "workflow/task/invariants.hpp"

#include <catch2/catch.hpp>

#include <algorithm>

namespace steadfast::tests {

using namespace workflow;

std::string text_of(const command& c) {
  const auto number = [](std::size_t n) { return std::to_string(n); };
  const auto after = [](instant at) { return std::to_string((at - start).count()) + " ms"; };
  return std::visit(overload{
                      [&](const dispatch& x) { return "dispatch " + number(x.step) + " attempt " + number(x.attempt); },
                      [&](const stop_attempt& x) { return "stop " + number(x.step) + " attempt " + number(x.attempt); },
                      [&](const expire_at& x) {
                        return "expire " + number(x.step) + " attempt " + number(x.attempt) + " at " + after(x.at);
                      },
                      [&](const wake_at& x) { return "wake " + number(x.step) + " at " + after(x.at); },
                      [](const let_go&) { return std::string{"let go"}; },
                    },
                    c);
}

std::vector<std::string> texts_of(const std::vector<command>& commands) {
  std::vector<std::string> texts;
  for (const auto& c : commands)
    texts.push_back(text_of(c));
  return texts;
}

scenario::scenario(definition def) : d{std::move(def)} {
  REQUIRE(problems(d) == std::vector<std::string>{});
  t = make_task(submission_of(d), d, now);
  REQUIRE(broken_invariants(t, d) == std::vector<std::string>{});
}

event_status scenario::raise(const event& e) {
  last = apply(t, d, e, now);
  INFO(name_of(e) << ": " << last.reason);
  REQUIRE(broken_invariants(last.next, d) == std::vector<std::string>{});
  t = last.next;
  notices.insert(notices.end(), last.notices.begin(), last.notices.end());
  alerts.insert(alerts.end(), last.alerts.begin(), last.alerts.end());
  return last.result;
}

void scenario::must(const event& e) {
  const auto result = raise(e);
  INFO(name_of(e) << ": " << last.reason);
  REQUIRE(result == event_status::applied);
}

void scenario::take(const std::string& scheduler) {
  must(taken{scheduler});
}

void scenario::succeed(std::string_view step, std::string result) {
  must(attempt_succeeded{ref(step), blob{std::move(result)}, {}});
}

void scenario::fail(std::string_view step, bool maybe_done) {
  must(attempt_failed{ref(step), false, maybe_done, span{0}, "no luck"});
}

void scenario::fail_for_good(std::string_view step, bool maybe_done) {
  must(attempt_failed{ref(step), true, maybe_done, span{0}, "not allowed"});
}

void scenario::decline(std::string_view step) {
  must(attempt_declined{ref(step), span{0}, "no agent"});
}

void scenario::expire(std::string_view step) {
  now = std::max(now, at(step).complete_by);
  must(attempt_expired{ref(step)});
}

void scenario::expire_round(std::string_view step) {
  expire(step);
  must(round_failed{number(step), at(step).attempt});
}

void scenario::wait() {
  instant until = never;
  for (const auto& s : t.steps) {
    if (s.doing == attempt_action::none && s.not_before > now)
      until = std::min(until, s.not_before);
  }
  REQUIRE(until != never);
  now = until;
  if (is_claimable(t))
    take();
  else
    must(time_passed{});
}

void scenario::supervise() {
  for (auto events = review(t, d, now); !events.empty(); events = review(t, d, now)) {
    for (const auto& e : events)
      raise(e);
  }
}

std::size_t scenario::number(std::string_view step) const {
  const auto i = find_step(d, step);
  REQUIRE(i.has_value());
  return *i;
}

const step& scenario::at(std::string_view step) const {
  return t.steps[number(step)];
}

attempt_ref scenario::ref(std::string_view step) const {
  return {number(step), at(step).attempt, t.lock_epoch};
}

} // namespace steadfast::tests
