#include "actors/agents/agent_core.hpp"

#include "workflow/calling/next_try.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

namespace steadfast::actors {
namespace {

using workflow::call_outcome;
using workflow::circuit_state;
using workflow::instant;
using workflow::span;

constexpr span retry_after_max{std::chrono::hours{24}};

call_outcome outcome_of(const answer& a) {
  switch (a.kind) {
    case report_kind::succeeded:
    case report_kind::failed_permanent:
    case report_kind::taken_on:
    case report_kind::denied: return call_outcome::answered;
    case report_kind::failed_transient: return call_outcome::failed;
    case report_kind::declined:
    case report_kind::stopped: return call_outcome::withdrawn;
  }
  return call_outcome::withdrawn;
}

/// The words of a service or a program go into the task's story and from there to terminals and JSON: printable ASCII
/// only, so that no character is cut in two.
std::string shown(std::string_view said, std::size_t size_max) {
  std::string text{said.substr(0, size_max)};
  for (char& c : text) {
    if (c == '\n' || c == '\r' || c == '\t')
      c = ' ';
    else if (c < 0x20 || c > 0x7e)
      c = '?';
  }
  return text;
}

} // namespace

void agent_core::on_call_over(call_ticket ticket, answer a, instant now) {
  const auto c = calls_.find(ticket);
  if (c == calls_.end())
    return;
  const auto call = c->second;
  calls_.erase(c);
  if (call.attempt == 0) {
    --abandoned_;
  } else {
    const auto i = attempts_.find(call.attempt);
    a = as_seen_by(i->second, std::move(a));
    count_end(a, now - i->second.began_at, now);
    count_call(call.circuit_period, outcome_of(a), now);
    learn_duration(now - i->second.began_at);
    settle(i, std::move(a), now);
    send_back_while_open(now);
  }
  begin_calls(now);
}

void agent_core::count_end(const answer& a, span took, instant now) {
  using workflow::call_end;
  switch (a.kind) {
    case report_kind::succeeded:
    case report_kind::taken_on:
    case report_kind::denied: return figures_.count(call_end::succeeded, took, now);
    case report_kind::failed_permanent:
      counts_.last_refusal = shown(a.why, told_failure_max);
      counts_.last_refusal_at = now;
      return figures_.count(call_end::refused, took, now);
    case report_kind::failed_transient:
      remember_failure(a.why, now);
      return figures_.count(call_end::failed, took, now);
    case report_kind::declined:
    case report_kind::stopped: break;
  }
}

void agent_core::remember_failure(const std::string& why, instant now) {
  counts_.last_failure = shown(why, told_failure_max);
  counts_.last_failure_at = now;
}

/// A call that failed when it was asked to end says nothing about the service; one that was given up does.
answer agent_core::as_seen_by(const open_attempt& a, answer x) const {
  if (a.in == phase::unwanted && x.kind == report_kind::failed_transient)
    x.kind = report_kind::stopped;
  else if (a.in == phase::giving_up && x.kind == report_kind::stopped)
    return failed_for_now("no answer within call_limit (" + std::to_string(options_.call_limit.count()) + " ms)",
                          x.maybe_done);
  return x;
}

void agent_core::settle(attempt_iterator i, answer a, instant now) {
  auto& x = i->second;
  if (now >= x.order.complete_by) {
    ++counts_.silenced;
    told_.silenced.add();
    return close(i);
  }
  const bool has_failed =
    a.kind != report_kind::succeeded && a.kind != report_kind::denied && a.kind != report_kind::taken_on;
  if (has_failed && a.kind != report_kind::declined) {
    x.maybe_done = x.maybe_done || a.maybe_done;
    x.unsettled = x.unsettled || (a.maybe_done && a.unsettled);
  }
  switch (a.kind) {
    case report_kind::succeeded: return settle_success(i, std::move(a), now);
    case report_kind::denied:
      if (x.order.action == workflow::attempt_action::probe)
        return report(i, report_kind::denied, std::move(a), now);
      a.why = "answered `denied`, which only a probe can be";
      return report(i, report_kind::failed_permanent, std::move(a), now);
    case report_kind::failed_permanent: return report(i, report_kind::failed_permanent, std::move(a), now);
    case report_kind::taken_on: return settle_taken_on(i, std::move(a), now);
    case report_kind::failed_transient:
    case report_kind::declined:
    case report_kind::stopped: break;
  }
  if (x.in == phase::unwanted)
    return report(i, report_kind::stopped, std::move(a), now);
  try_again_or_report(i, a, now);
}

void agent_core::settle_success(attempt_iterator i, answer a, instant now) {
  if (a.result.size() <= options_.result_size_max)
    return report(i, report_kind::succeeded, std::move(a), now);
  // It happened, but its result cannot be kept. A failure that may have acted is undone; a repetition would end in the
  // same way.
  i->second.maybe_done = true;
  a.why = "the result has " + std::to_string(a.result.size()) + " bytes, result_size_max of agent `" + options_.name
          + "` is " + std::to_string(options_.result_size_max) + "; the step itself may have been done";
  report(i, report_kind::failed_permanent, std::move(a), now);
}

void agent_core::settle_taken_on(attempt_iterator i, answer a, instant now) {
  if (!i->second.token.token.empty())
    return report(i, report_kind::taken_on, std::move(a), now);
  i->second.maybe_done = true;
  a.why = "answered that it ends later, which the workflow does not say of this step";
  report(i, report_kind::failed_permanent, std::move(a), now);
}

void agent_core::try_again_or_report(attempt_iterator i, const answer& a, instant now) {
  auto& x = i->second;
  x.why = shown(a.why, why_size_max);
  auto last = a;
  last.retry_after = std::clamp(a.retry_after, span::zero(), retry_after_max);
  if (workflow::state_at(circuit_, now) == circuit_state::open) {
    last.retry_after = std::max(last.retry_after, time_until_trial(now));
    return report(i, report_kind::failed_transient, std::move(last), now);
  }
  const auto at = workflow::next_try(options_.retry, {x.tries, now - x.began_at, last.retry_after},
                                     chance_of(x.order, x.tries), now, x.order.complete_by);
  if (!at)
    return report(i, report_kind::failed_transient, std::move(last), now);
  x.in = phase::waiting;
  due_.set(*at, i->first, 0);
}

/// P12: after complete-by nothing is said, not even an error.
void agent_core::expire(attempt_iterator i, instant now) {
  auto& a = i->second;
  ++counts_.silenced;
  told_.silenced.add();
  if (a.in != phase::queued && a.in != phase::waiting)
    abandon_call(a, now);
  close(i);
}

void agent_core::fall_due(attempt_iterator i, instant now) {
  auto& a = i->second;
  if (now >= a.order.complete_by)
    return expire(i, now);
  if (a.in == phase::queued && now >= a.latest)
    return send_back_too_late(i, now);
  due_.set(a.in == phase::waiting && now < a.latest ? a.latest : a.order.complete_by, i->first, 0);
  if (a.in == phase::waiting) {
    a.in = phase::queued;
    queue_.insert(i->first);
  } else if (a.in == phase::calling) {
    a.in = phase::giving_up;
    effects_.stop(a.ticket);
  }
}

void agent_core::on_tick(instant now) {
  for (const auto& d : due_.take_due(now)) {
    if (const auto i = attempts_.find(d.task); i != attempts_.end())
      fall_due(i, now);
  }
  send_back_while_open(now);
  begin_calls(now);
}

/// Nothing waits here for a service that does not answer: the scheduler knows better what to do in the meantime.
void agent_core::send_back_while_open(instant now) {
  if (waiting() == 0 || workflow::state_at(circuit_, now) != circuit_state::open)
    return;
  const auto retry_after = time_until_trial(now);
  for (auto i = attempts_.begin(); i != attempts_.end();) {
    const auto here = i++;
    auto& a = here->second;
    if (a.in != phase::queued && a.in != phase::waiting)
      continue;
    send_back(here, retry_after, a.tries == 0 ? circuit_and_failure_text() : circuit_text(), now);
  }
}

void agent_core::send_back(attempt_iterator i, span retry_after, const std::string& why, instant now) {
  auto& a = i->second;
  if (a.tries == 0) {
    decline(a.order, a.sink, retry_after, why);
    close(i);
  } else {
    report(i, report_kind::failed_transient,
           {report_kind::failed_transient, {}, a.why + "; " + why, a.maybe_done, retry_after, a.unsettled}, now);
  }
}

/// Time in a queue is no attempt: the scheduler is told so while there is time.
void agent_core::send_back_too_late(attempt_iterator i, instant now) {
  const auto retry_after = time_until_room(i->second.order, now);
  send_back(i, retry_after,
            "agent `" + options_.name + "` had no place for it in time, " + std::to_string(waiting() - 1)
              + " other orders wait",
            now);
}

void agent_core::report(attempt_iterator i, report_kind kind, answer a, instant now) {
  auto& x = i->second;
  told_.reported_as(kind).add();
  told_.attempts.count(in_microseconds(now - x.came_at));
  auto r = report_on(x.order, kind);
  switch (kind) {
    case report_kind::succeeded:
    case report_kind::taken_on:
    case report_kind::denied: ++counts_.succeeded; break;
    case report_kind::failed_transient:
    case report_kind::failed_permanent: ++counts_.failed; break;
    case report_kind::declined:
    case report_kind::stopped: break;
  }
  r.maybe_done = x.maybe_done && kind != report_kind::denied;
  r.unsettled = x.unsettled;
  r.retry_after = a.retry_after;
  r.why = shown(a.why, why_size_max);
  if (kind == report_kind::succeeded)
    r.result = std::move(a.result);
  else if (kind == report_kind::taken_on)
    r.result = x.token.digest;
  const auto sink = x.sink;
  close(i);
  effects_.report(sink, std::move(r));
}

void agent_core::close(attempt_iterator i) {
  const auto& o = i->second.order;
  fence_.end(o.task_number, o.epoch, o.step, o.attempt);
  arrivals_.erase({o.task_number, o.step, o.attempt});
  queue_.erase(i->first);
  due_.forget(i->first);
  inputs_size_ -= o.input.size();
  attempts_.erase(i);
}

} // namespace steadfast::actors
