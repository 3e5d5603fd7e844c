#include "actors/scheduling/scheduler_core.hpp"

#include "actors/common/state_tree.hpp"
#include "workflow/supervision/fair_share.hpp"
#include "workflow/transition/transition.hpp"

#include <algorithm>
#include <memory>
#include <utility>

namespace steadfast::actors {

void scheduler_core::write(std::uint64_t ticket, store::write what) {
  effects_.write(ticket, boxed<store::write>{std::move(what)}, {});
}

// ---- taking work ----

void scheduler_core::on_lease(const store::lease_guard& lease) {
  const bool is_new = lease.epoch != lease_.epoch;
  lease_ = lease;
  if (is_new)
    free_unknown_locks();
}

void scheduler_core::free_unknown_locks() {
  ready_ = false;
  if (lease_.epoch == 0)
    return;
  store::free_locks what;
  what.scheduler = options_.name;
  what.guard = lease_;
  for (const auto& [number, e] : tasks_)
    what.except.push_back(number);
  std::sort(what.except.begin(), what.except.end());
  write(free_ticket, std::move(what));
}

void scheduler_core::on_freed(const store::outcome& o) {
  if (o.result != store::write_status::applied)
    return claim_later(options_.retry_full);
  if (o.as<store::free_result>().more)
    return free_unknown_locks();
  ready_ = work_ = true;
  claim();
}

void scheduler_core::claim() {
  const workflow::places places{options_.in_flight_max, tasks_.size()};
  if (draining_ || lease_.epoch == 0 || !ready_ || claiming_ || !work_ || workflow::room_in(places) == 0)
    return;
  claiming_ = true;
  work_ = false;
  store::claim_tasks what;
  what.scheduler = options_.name;
  what.max = std::min<std::size_t>(options_.claim_max, workflow::room_in(places));
  what.places = places.max;
  what.in_flight = places.taken;
  what.loads = places_.loads(now());
  what.after = places_.last_taken();
  what.guard = lease_;
  asked_for_ = what.max;
  write(claim_ticket, std::move(what));
}

void scheduler_core::on_claimed(const write_done& m, workflow::instant clock) {
  claiming_ = false;
  const auto& o = *m.outcome;
  if (o.result != store::write_status::applied) {
    ready_ = o.result == store::write_status::full; // otherwise some may be locked for it now
    return claim_later(options_.retry_full);
  }
  for (const auto& d : m.definitions)
    definitions_.add(d);
  const auto& taken = o.as<store::claim_result>();
  for (const auto& t : taken.tasks)
    if (t.locked_by == options_.name)
      begin(t, clock);
  claim_at_ = std::min(claim_at_, taken.next);
  if (taken.more
      && taken.tasks.size() < asked_for_) { // the workflows have their share: when a task has ended there may be more
    claim_later(options_.retry_full);
    if (!std::exchange(work_, true)) // and nothing has come meanwhile
      return;
  }
  work_ = work_ || taken.more;
  claim();
}

void scheduler_core::claim_later(workflow::span wait) {
  claim_at_ = std::min(claim_at_, now() + wait);
}

void scheduler_core::begin(const workflow::task& t, workflow::instant clock) {
  const auto [place, is_new] = tasks_.try_emplace(t.number);
  if (is_new)
    places_.take(t.workflow);
  auto& e = place->second;
  e = task_in_flight{};
  e.definition = definitions_.find(t);
  know(e, t, clock);
  ++counts_.claimed;
  effects_.log("taken", t, {});
  if (draining_)
    return handle(t.number, workflow::lock_released{});
  carry_out(e, workflow::outstanding(e.task()));
  go_on(t.number);
}

/// The task as it was stored when the store used that clock. No other clock decides on what was stored then: the answer
/// may be so late that meanwhile both the clock and the task have changed.
void scheduler_core::know(task_in_flight& e, const workflow::task& t, workflow::instant clock) const {
  e.clock = clock;
  auto known = std::make_shared<workflow::task>(t);
  const auto time = effects_.time();
  workflow::carry_over(*known, *e.definition, {time.set_at == e.clock ? time.now : workflow::never, e.clock});
  e.stored = std::move(known);
  e.revision = t.revision;
}

void scheduler_core::on_news(const store_news& m) {
  for (const auto number : m.changed)
    if (const auto found = tasks_.find(number); found != tasks_.end()) {
      found->second.reload = true;
      go_on(number);
    }
  if (m.work && m.is_offered) {
    claim_later(options_.offered_wait);
  } else if (m.work) {
    work_ = true;
    claim();
  }
}

// ---- time ----

workflow::instant scheduler_core::next_due() const {
  return std::min({due_.next(), looks_.next(), full_until_, claim_at_, drain_until_});
}

void scheduler_core::on_tick() {
  const auto at = now();
  for (const auto& d : looks_.take_due(at))
    on_look(d.task);
  for (const auto& d : due_.take_due(at))
    on_due(d);
  if (full_until_ <= at)
    go_on_with_full();
  if (claim_at_ <= at) {
    claim_at_ = workflow::never;
    work_ = true;
    if (ready_)
      claim();
    else
      free_unknown_locks();
  }
  if (drain_until_ <= at) {
    drain_until_ = workflow::never;
    give_back([](const workflow::task&) { return true; });
  }
}

// ---- stopping ----

void scheduler_core::drain(workflow::span limit) {
  draining_ = true;
  drain_until_ = now() + limit;
  give_back([](const workflow::task& t) { return !workflow::has_open_attempt(t); });
}

void scheduler_core::give_back(bool (*is_meant)(const workflow::task&)) {
  std::vector<std::uint64_t> numbers;
  for (const auto& [number, e] : tasks_)
    if (is_meant(e.task()))
      numbers.push_back(number);
  for (const auto number : numbers)
    handle(number, workflow::lock_released{});
}

// ---- what it shows ----

actor_state scheduler_core::state(std::size_t listed_max) const {
  const auto load = [](const agent_load& a) -> state_tree {
    return {{"agent", a.agent}, {"node", a.node}, {"in_flight", a.in_flight}, {"unanswered", a.unanswered}};
  };
  const std::string draining = tasks_.empty() ? "drained, " : "draining, ";
  return state_of((draining_           ? draining
                   : lease_.epoch == 0 ? "has no lease, "
                                       : "")
                    + std::to_string(tasks_.size()) + " of " + counted(options_.in_flight_max, "task"),
                  {{"lease_epoch", lease_.epoch},
                   {"draining", draining_},
                   {"in_flight_max", options_.in_flight_max},
                   {"claiming", claiming_},
                   {"next_claim_at", claim_at_},
                   {"claimed", counts_.claimed},
                   {"dispatched", counts_.dispatched},
                   {"late_replies", counts_.late},
                   {"timers", due_.size()},
                   {"next_timer_at", due_.next()},
                   {"workflows", places_.tree(listed_max)},
                   {"agents", listed(agents_.loads(), listed_max, load)},
                   {"tasks", listed(oldest_tasks(), listed_max, [](const auto* e) { return tree_of(*e); })}},
                  tasks_.size());
}

std::vector<const task_in_flight*> scheduler_core::oldest_tasks() const {
  std::vector<const task_in_flight*> all;
  for (const auto& [number, e] : tasks_)
    all.push_back(&e);
  std::sort(all.begin(), all.end(),
            [](const task_in_flight* a, const task_in_flight* b) { return a->task().number < b->task().number; });
  return all;
}

} // namespace steadfast::actors
