#include "actors/agents/agent_core.hpp"

#include "workflow/calling/circuit_text.hpp"
#include "workflow/definition/retry.hpp"

#include <algorithm>
#include <utility>

namespace steadfast::actors {
namespace {

using workflow::circuit_state;
using workflow::instant;
using workflow::span;

constexpr span decline_min{200};
constexpr span decline_max{5'000}; // so that a recovered service is soon used again
constexpr span held_open_wait{10'000};

workflow::rate_options rate_of(const agent_options& o) {
  return {o.rate_per_second, o.burst};
}

} // namespace

agent_core::agent_core(agent_options o, agent_effects& effects) : options_{std::move(o)}, effects_{effects} {
  counts_.name = options_.name;
  counts_.in_flight_max = options_.concurrency;
}

// ---- orders ----

void agent_core::on_order(step_order o, const report_sink& from, instant now, const std::string& obstacle) {
  ++counts_.orders;
  if (obstacle.empty() && now >= o.complete_by) {
    ++counts_.silenced;
    told_.silenced.add();
    return;
  }
  const auto known = arrivals_.find({o.task_number, o.step, o.attempt});
  const bool is_open = known != arrivals_.end();
  if (!fence_.admits(o.task_number, o.epoch) || (is_open && o.epoch < attempts_.at(known->second).order.epoch)) {
    ++counts_.refused;
    return;
  }
  if (!is_open && fence_.has_ended(o.task_number, o.step, o.attempt)) { // repeated on its way
    ++counts_.refused;
    return;
  }
  if (is_open)
    return join(attempts_.at(known->second), o, from);
  if (!obstacle.empty())
    return decline(o, from, decline_min, "agent `" + options_.name + "` takes no orders: " + obstacle);
  if (workflow::state_at(circuit_, now) == circuit_state::open)
    return decline(o, from, time_until_trial(now), circuit_and_failure_text());
  if (draining_)
    return decline(o, from, decline_min, "agent `" + options_.name + "` takes no orders: its node is drained");
  if (auto why = no_room_for(o, now); !why.empty())
    return decline(o, from, time_until_room(o, now), std::move(why));
  admit(std::move(o), from, now);
  begin_calls(now);
}

/// The same attempt ordered again: nothing is called twice, and the last sender of the order gets the report.
void agent_core::join(open_attempt& a, const step_order& o, const report_sink& from) {
  a.order.epoch = o.epoch;
  a.sink = from;
  if (a.in == phase::unwanted)
    a.in = phase::calling; // until complete-by: its limit passed while nobody wanted it
}

void agent_core::admit(step_order o, const report_sink& from, instant now) {
  const auto p = ++last_arrival_;
  auto& a = attempts_[p];
  a.sink = from;
  a.came_at = now;
  told_.taken_for(o.action).add();
  if (o.attempt > 1 && o.action == workflow::attempt_action::perform)
    told_.repeated.add();
  arrivals_[{o.task_number, o.step, o.attempt}] = p;
  queue_.insert(p);
  a.latest = std::max(now, workflow::begins_at_latest(now, o.complete_by, pace()));
  due_.set(a.latest, p, 0);
  inputs_size_ += o.input.size();
  a.order = std::move(o);
}

std::string agent_core::no_room_for(const step_order& o, instant now) const {
  if (waiting() >= options_.queue)
    return "agent `" + options_.name + "` has " + std::to_string(waiting()) + " orders waiting";
  if (!attempts_.empty() && inputs_size_ + o.input.size() > options_.inputs_size_max)
    return "agent `" + options_.name + "` holds " + std::to_string(inputs_size_) + " bytes of input";
  if (comes_too_late(o, now))
    return "agent `" + options_.name + "` has " + std::to_string(calls_.size()) + " calls under way and "
           + std::to_string(waiting()) + " orders waiting, too many for one more to begin in time for its complete-by";
  return {};
}

/// An order that can begin at once never does: its call shows how long calls now take.
bool agent_core::comes_too_late(const step_order& o, instant now) const {
  const bool at_once = queue_.empty() && calls_.size() < options_.concurrency;
  return !at_once
         && now + workflow::expected_wait(queue_.size() + 1, pace())
              > workflow::begins_at_latest(now, o.complete_by, pace());
}

void agent_core::decline(const step_order& o, const report_sink& to, span retry_after, std::string why) {
  ++counts_.declined;
  told_.reported_as(report_kind::declined).add();
  fence_.end(o.task_number, o.epoch, o.step, o.attempt);
  auto r = report_on(o, report_kind::declined);
  r.maybe_done = r.unsettled = false;
  r.retry_after = retry_after;
  r.why = std::move(why);
  effects_.report(to, std::move(r));
}

/// About the time that everything waiting here or told to come back takes, spread by half so that the declined orders
/// do not all come back at once.
span agent_core::time_until_room(const step_order& o, instant now) {
  away_.erase(away_.begin(), away_.upper_bound(now));
  const auto wait =
    std::clamp(workflow::expected_wait(waiting() + away_.size(), pace()), decline_min, decline_max).count();
  const span spread{wait / 2 + static_cast<std::int64_t>(chance_of(o, 0) % static_cast<std::uint64_t>(wait + 1))};
  if (away_.size() < away_max)
    away_.insert(now + spread);
  return spread;
}

void agent_core::on_stop(const stop_order& o, const report_sink& from, instant now) {
  const auto known = arrivals_.find({o.task_number, o.step, o.attempt});
  const bool is_open = known != arrivals_.end();
  if (!fence_.admits(o.task_number, o.epoch) || (is_open && o.epoch < attempts_.at(known->second).order.epoch)) {
    ++counts_.refused;
    return;
  }
  if (!is_open)
    return;
  const auto i = attempts_.find(known->second);
  auto& a = i->second;
  if (now >= a.order.complete_by)
    return;
  a.order.epoch = o.epoch;
  a.sink = from;
  if (a.in == phase::queued || a.in == phase::waiting)
    return report(i, report_kind::stopped, {}, now);
  if (a.in == phase::calling)
    effects_.ask_to_end(a.ticket);
  a.in = phase::unwanted;
  due_.set(a.order.complete_by, i->first, 0);
}

// ---- calls ----

void agent_core::begin_calls(instant now) {
  rate_allows_at_ = workflow::never;
  while (!queue_.empty() && calls_.size() < options_.concurrency && workflow::may_call(circuit_, now)) {
    const auto first = attempts_.find(*queue_.begin());
    // The process may have been stopped, so the timer for it has not arrived yet.
    if (now >= first->second.order.complete_by) {
      expire(first, now);
      continue;
    }
    if (now > first->second.latest && first->second.tries == 0) {
      send_back_too_late(first, now);
      continue;
    }
    const auto at = workflow::next_call_at(bucket_, rate_of(options_), now);
    if (at > now) {
      rate_allows_at_ = at;
      return;
    }
    begin_call(first->first, now);
  }
}

void agent_core::begin_call(arrival p, instant now) {
  queue_.erase(p);
  auto& a = attempts_.at(p);
  bucket_ = workflow::taken_from(bucket_, rate_of(options_), now);
  circuit_ = workflow::begun(circuit_, now);
  a.in = phase::calling;
  a.ticket = ++last_ticket_;
  a.began_at = now;
  ++a.tries;
  ++counts_.tries;
  if (a.tries > 1)
    told_.retries.add();
  else
    told_.waits.count(in_microseconds(now - a.came_at));
  calls_[a.ticket] = {p, circuit_.period};
  const bool limited = options_.call_limit > span::zero() && options_.call_limit < a.order.complete_by - now;
  due_.set(limited ? now + options_.call_limit : a.order.complete_by, p, 0);
  const auto& o = a.order;
  if (o.may_end_later && options_.tokens && a.token.token.empty())
    a.token = options_.tokens(std::to_string(o.task_number) + "." + std::to_string(o.step) + "."
                              + std::to_string(o.attempt) + ".");
  effects_.start(a.ticket, {o.task_id,
                            o.workflow,
                            o.step_name,
                            o.action,
                            o.attempt,
                            o.epoch,
                            o.key,
                            o.reverses,
                            o.input,
                            o.complete_by,
                            a.tries,
                            now,
                            a.token.token,
                            o.trace,
                            {}});
}

void agent_core::abandon_call(const open_attempt& a, instant now) {
  auto& c = calls_.at(a.ticket);
  c.attempt = 0;
  ++abandoned_;
  const bool unwanted = a.in == phase::unwanted;
  if (!unwanted) {
    figures_.count(workflow::call_end::failed, now - a.began_at, now);
    remember_failure("no answer by complete-by", now);
  }
  count_call(c.circuit_period, unwanted ? workflow::call_outcome::withdrawn : workflow::call_outcome::failed, now);
  learn_duration(now - a.began_at); // at least
  effects_.abandon(a.ticket);
}

void agent_core::count_call(std::uint64_t period, workflow::call_outcome outcome, instant now) {
  circuit_ = workflow::after(circuit_, options_.circuit, outcome, period, now);
}

void agent_core::learn_duration(span took) {
  const auto us = in_microseconds(took);
  told_.calls.count(us);
  usual_duration_us_ += (us - usual_duration_us_) / 8;
}

// ---- views ----

instant agent_core::next_due() const {
  return std::min(due_.next(), rate_allows_at_);
}

std::string agent_core::circuit_text() const {
  return workflow::circuit_text(options_.name, circuit_, held_open_by_);
}

std::string agent_core::circuit_and_failure_text() const {
  if (counts_.last_failure_at == workflow::unset)
    return circuit_text();
  return workflow::with_last_failure(circuit_text(), counts_.last_failure_at, counts_.last_failure);
}

/// A circuit that a person holds open may be closed at any time: its orders come back now and then.
span agent_core::time_until_trial(instant now) const {
  return circuit_.open_until == workflow::never ? held_open_wait : circuit_.open_until - now;
}

void agent_core::on_circuit(const set_circuit& m, instant now) {
  circuit_ = m.open ? workflow::held_open(circuit_) : workflow::closed_anew(circuit_);
  held_open_by_ = m.open ? m.who + (m.why.empty() ? "" : " (" + m.why + ")") : "";
  send_back_while_open(now);
  begin_calls(now);
}

agent_view agent_core::view(instant now) const {
  auto v = counts_;
  const auto state = workflow::state_at(circuit_, now);
  v.circuit = workflow::to_string(state);
  v.circuit_open_until = state == circuit_state::open ? circuit_.open_until : workflow::unset;
  v.held_open_by = held_open_by_;
  v.draining = draining_;
  v.in_flight = static_cast<std::uint32_t>(calls_.size());
  v.queued = static_cast<std::uint32_t>(waiting());
  v.abandoned = static_cast<std::uint32_t>(abandoned_);
  const auto late = figures_.of_late(now);
  v.lately_succeeded = late.succeeded;
  v.lately_refused = late.refused;
  v.lately_failed = late.failed;
  v.p50 = late.p50;
  v.p99 = late.p99;
  return v;
}

attempt_report agent_core::report_on(const step_order& o, report_kind kind) {
  attempt_report r;
  r.task_number = o.task_number;
  r.step = o.step;
  r.attempt = o.attempt;
  r.epoch = o.epoch;
  r.kind = kind;
  return r;
}

std::uint64_t agent_core::chance_of(const step_order& o, std::uint32_t tries) {
  return workflow::mixed(o.task_number, (std::uint64_t{o.step} << 32U) | o.attempt, tries);
}

} // namespace steadfast::actors
