// The progress of a task in flight.

#include "actors/agents/step_input.hpp"
#include "actors/scheduling/scheduler_core.hpp"
#include "actors/scheduling/step_orders.hpp"
#include "workflow/outward/trace.hpp"
#include "workflow/overload.hpp"
#include "workflow/transition/transition.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace steadfast::actors {

// ---- events ----

void scheduler_core::handle(std::uint64_t number, workflow::event what) {
  const auto found = tasks_.find(number);
  if (found == tasks_.end())
    return;
  found->second.waiting.push_back(std::move(what));
  go_on(number);
}

/// Applies waiting events until one has to be stored. The entry may be gone afterwards.
void scheduler_core::go_on(std::uint64_t number) {
  for (auto found = tasks_.find(number); found != tasks_.end(); found = tasks_.find(number)) {
    auto& e = found->second;
    if (e.written || e.reading)
      return;
    if (e.reload)
      return read_again(number, e);
    if (e.waiting.empty()) {
      if (!due_.has(number) || !workflow::has_open_attempt(e.task()))
        look_again_later(number);
      return;
    }
    auto what = std::move(e.waiting.front());
    e.waiting.pop_front();
    const auto clock = effects_.time();
    auto change = workflow::apply(e.task(), *e.definition, what, clock, draining_);
    if (change.result != workflow::event_status::applied) {
      note_refusal(e, what, change);
      continue;
    }
    e.clock = clock.set_at;
    e.cause = std::move(what);
    commit(e, std::move(change), clock);
  }
}

void scheduler_core::commit(task_in_flight& e, workflow::change&& change, const workflow::clock_reading& clock) {
  store::update_task u;
  u.next = std::move(change.next);
  u.next.revision = e.revision;
  u.lock_epoch_before = e.task().lock_epoch;
  u.steps_before = e.task().steps;
  u.notices = std::move(change.notices);
  u.alerts = std::move(change.alerts);
  e.commands = std::move(change.commands);
  e.written =
    boxed<store::write>{std::make_shared<const store::write>(std::in_place_type<store::update_task>, std::move(u))};
  effects_.write(e.task().number + first_task_ticket, e.written, clock);
}

void scheduler_core::note_refusal(const task_in_flight& e, const workflow::event& what,
                                  const workflow::change& change) {
  if (!change.evidence)
    return;
  ++counts_.late;
  effects_.log("late reply", e.task(), std::string{workflow::name_of(what)} + ": " + change.reason);
  write(evidence_ticket, store::keep_late_reply{e.task().number, *change.evidence});
}

void scheduler_core::on_report(attempt_report m) {
  agents_.heard_of(m.task_number, m.step, m.kind == report_kind::declined);
  const auto found = tasks_.find(m.task_number);
  if (found == tasks_.end()) {
    ++counts_.late;
    return write(evidence_ticket, store::keep_late_reply{m.task_number,
                                                         {"#" + std::to_string(m.step), m.attempt, m.epoch, "report",
                                                          "the task is not in flight here", now()}});
  }
  const auto number = m.task_number;
  handle(number, event_of(std::move(m), *found->second.definition));
}

/// A supervisor may take the task away, and a clock that was set leave nothing to do at its moment. Neither its place
/// nor its next moment must be lost with the news of that.
void scheduler_core::look_again_later(std::uint64_t number) {
  if (!looks_.has(number))
    looks_.set(now() + look_again, number, 0);
}

void scheduler_core::on_look(std::uint64_t number) {
  const auto found = tasks_.find(number);
  if (found == tasks_.end())
    return;
  auto& e = found->second;
  for (const auto& c : workflow::outstanding(e.task()))
    arm(c, number);
  e.reload = true;
  go_on(number);
}

void scheduler_core::on_due(const due_queue::entry& d) {
  const auto found = tasks_.find(d.task);
  if (found == tasks_.end())
    return;
  const auto revision = found->second.revision;
  const auto& t = found->second.task();
  const auto& s = t.steps[d.step];
  if (s.doing != workflow::attempt_action::none)
    handle(d.task, workflow::attempt_expired{{d.step, s.attempt, t.lock_epoch}});
  else
    handle(d.task, workflow::time_passed{});
  const auto after = tasks_.find(d.task);
  if (after != tasks_.end() && after->second.revision == revision && !after->second.written)
    look_again_later(d.task); // nothing was due
}

// ---- the store's answers ----

void scheduler_core::on_written(const write_done& m, workflow::instant clock) {
  switch (m.ticket) {
    case claim_ticket: return on_claimed(m, clock);
    case free_ticket: return on_freed(*m.outcome);
    case evidence_ticket: return;
    default: return on_stored(m.ticket - first_task_ticket, m);
  }
}

void scheduler_core::on_stored(std::uint64_t number, const write_done& m) {
  const auto& o = *m.outcome;
  const auto found = tasks_.find(number);
  if (found == tasks_.end() || !found->second.written)
    return;
  auto& e = found->second;
  const auto commands = std::exchange(e.commands, {});
  const auto written = std::exchange(e.written, {}).share();
  auto cause = *std::exchange(e.cause, std::nullopt);
  if (o.result != store::write_status::applied) {
    effects_.log("not stored", e.task(), o.why);
    return decide_again(number, std::move(cause), m);
  }
  e.stored = {written, &std::get<store::update_task>(*written).next};
  e.revision = o.as<store::update_result>().revision;
  agents_.settle(e.task());
  if (workflow::has_ended(e.task()))
    effects_.log(std::string{workflow::to_string(e.task().state)}, e.task(), e.task().cause);
  carry_out(e, commands);
  if (std::holds_alternative<workflow::attempt_declined>(cause) && e.task().not_before != workflow::unset)
    places_.give_back(e.task().workflow, e.task().not_before);
  if (e.task().locked_by != options_.name)
    forget(number, workflow::has_ended(e.task()));
  else
    go_on(number);
}

/// Overtaken, not written, or nobody knows: what happened is decided again by what the store has then. A change that
/// the store can never take is given up.
void scheduler_core::decide_again(std::uint64_t number, workflow::event cause, const write_done& m) {
  const auto why = m.outcome->result;
  auto& e = tasks_.at(number);
  e.reload = true;
  if (why != store::write_status::refused)
    e.waiting.push_front(std::move(cause));
  if (why != store::write_status::full && why != store::write_status::unknown_outcome)
    return go_on(number);
  e.reading = true; // until the wait is over
  read_later(number, m.is_by_other_clock ? options_.retry_clock : options_.retry_full);
}

void scheduler_core::forget(std::uint64_t number, bool ended) {
  const auto& e = tasks_.at(number);
  for (const auto& what : e.waiting) // too late; an agent's report is kept as evidence
    note_refusal(e, what, workflow::apply(e.task(), *e.definition, what, now()));
  places_.leave(e.task().workflow);
  agents_.forget(number);
  tasks_.erase(number);
  due_.forget(number);
  looks_.forget(number);
  if (draining_)
    ++(ended ? drained_.finished : drained_.given_back);
  claim();
}

// ---- reading again what others changed ----

void scheduler_core::read_again(std::uint64_t number, task_in_flight& e) {
  e.reading = true;
  effects_.read(number);
}

void scheduler_core::read_later(std::uint64_t number, workflow::span wait) {
  full_.push_back(number);
  full_until_ = std::min(full_until_, now() + wait);
}

void scheduler_core::go_on_with_full() {
  full_until_ = workflow::never;
  for (const auto number : std::exchange(full_, {}))
    if (const auto found = tasks_.find(number); found != tasks_.end()) {
      found->second.reading = false;
      found->second.reload = true;
      go_on(number);
    }
}

void scheduler_core::on_read(std::uint64_t number, const task_view& m) {
  const auto found = tasks_.find(number);
  if (found == tasks_.end() || !found->second.reading)
    return;
  auto& e = found->second;
  if (m.task && m.task->revision < e.revision) // what is known here cannot be read yet
    return read_later(number, options_.retry_full);
  e.reading = e.reload = false;
  const bool mine = m.task && m.task->locked_by == options_.name && m.task->lock_epoch == e.task().lock_epoch;
  stop_unwanted(e, m.task ? &*m.task : nullptr, mine);
  if (!mine) {
    if (m.task)
      e.stored = m.task.share();
    return forget(number, false);
  }
  if (m.task->revision != e.revision) {
    know(e, *m.task, m.clock);
    agents_.settle(e.task());
    due_.forget(number);
    carry_out(e, workflow::outstanding(e.task()));
  }
  go_on(number);
}

/// Nobody needs attempts that were open here and are no longer.
void scheduler_core::stop_unwanted(const task_in_flight& e, const workflow::task* stored, bool mine) {
  e.task().steps.each<workflow::step_mark::open>([&](std::size_t i) {
    const auto& s = e.task().steps[i];
    const bool still =
      mine && stored->steps[i].doing != workflow::attempt_action::none && stored->steps[i].attempt == s.attempt;
    if (!still)
      stop(e.task(), i);
  });
}

// ---- carrying out ----

void scheduler_core::carry_out(task_in_flight& e, const std::vector<workflow::command>& commands) {
  for (const auto& c : commands)
    std::visit(workflow::overload{
                 [&](const workflow::dispatch& x) { send_order(e, x.step); },
                 [&](const workflow::stop_attempt& x) { stop(e.task(), x.step); },
                 [&](const auto&) { arm(c, e.task().number); },
               },
               c);
}

/// Its moment, if it has one.
void scheduler_core::arm(const workflow::command& c, std::uint64_t number) {
  if (const auto* const x = std::get_if<workflow::expire_at>(&c))
    due_.set(x->at, number, x->step);
  else if (const auto* const w = std::get_if<workflow::wake_at>(&c))
    due_.set(w->at, number, w->step);
}

/// Not again: a second order for an attempt that has answered meanwhile would be a second call, perhaps during its
/// undo. Nor if it found no agent before: the store is about to learn that it did not happen.
void scheduler_core::send_order(task_in_flight& e, std::size_t step) {
  if (agents_.has_order(e.task(), step) || has_answer(e, step))
    return;
  const auto& s = e.task().steps[step];
  const workflow::attempt_ref ref{step, s.attempt, e.task().lock_epoch};
  const auto agent = agents_.route(e.task(), step);
  if (!agent) {
    e.waiting.push_back(workflow::attempt_declined{ref, {}, "no agent `" + s.log.back().agent + "` is alive"});
    return;
  }
  auto input = make_input(e.task(), *e.definition, step, s.doing);
  if (!input.problem.empty()) {
    e.waiting.push_back(workflow::attempt_failed{ref, true, false, {}, std::move(input.problem)});
    return;
  }
  ++counts_.dispatched;
  auto order = order_for(e.task(), *e.definition, step, std::move(input.bytes), e.clock);
  if (options_.traced_percent)
    order.trace = workflow::traceparent_of_attempt(workflow::trace_of(e.task(), *options_.traced_percent),
                                                   order.task_number, step, order.attempt);
  effects_.order(agent, std::move(order));
}

void scheduler_core::stop(const workflow::task& t, std::size_t step) {
  const auto& s = t.steps[step];
  for (const auto& agent : agents_.holders(t, step))
    effects_.stop(agent, stop_order{t.number, static_cast<std::uint32_t>(step), s.attempt, t.lock_epoch});
}

} // namespace steadfast::actors
