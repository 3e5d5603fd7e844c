// Runs the tasks it has locked. Each message becomes an event; workflow::apply says what follows; the store makes it
// durable; only then are the commands carried out. While a task's change is on its way to disk, its further events wait.

#include "actors/agent_directory.hpp"
#include "actors/alarm.hpp"
#include "actors/definition_cache.hpp"
#include "actors/deps.hpp"
#include "actors/due_queue.hpp"
#include "actors/observed.hpp"
#include "actors/outbox.hpp"
#include "actors/state_tree.hpp"
#include "actors/step_input.hpp"
#include "actors/step_orders.hpp"
#include "actors/task_in_flight.hpp"
#include "actors/type_ids.hpp"
#include "workflow/mutant.hpp"
#include "workflow/overload.hpp"
#include "workflow/transition.hpp"

#include <caf/actor_system.hpp>
#include <caf/typed_event_based_actor.hpp>
#include <caf/typed_response_promise.hpp>

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <utility>

namespace steadfast::actors {

namespace {

class scheduler : public observed<scheduler_actor> {
public:
  scheduler(caf::actor_config& cfg, scheduler_deps deps) : observed{cfg}, deps_{std::move(deps)} {
    agents_.learn({std::move(deps_.agents)});
  }

  const char* name() const override { return "scheduler"; }

  /// Handles that point in a circle keep each other alive, and the system waits for a detached actor to be freed.
  void on_exit() override {
    drain_promise_.reset();
    deps_ = {};
    agents_ = {};
  }

  behavior_type make_behavior() override {
    tell(this, deps_.store, subscribe{deps_.options.name});
    return {
      [this](const lease_changed& m) { on_lease(m); },
      [this](const agents_alive& m) { agents_.learn(m); },
      one_by_one<attempt_reports>([this](attempt_report& r) { on_report(std::move(r)); }),
      [this](const writes_done& m) {
        for (const auto& w : m.all)
          on_written(w, m.clock);
      },
      [this](const store_news& m) { on_news(m); },
      [this](const tick_timer& m) { on_tick(m); },
      [this](describe) { return view(); },
      [this](const inspect_state& m) { return state(m.listed_max); },
      [this](const drain& m) { return on_drain(m); },
    };
  }

private:
  void after_message() override {
    orders_.send_all(this);
    writes_.send_all(this);
  }

  static constexpr std::uint64_t claim_ticket = 1;
  static constexpr std::uint64_t free_ticket = 2;
  static constexpr std::uint64_t evidence_ticket = 3;
  static constexpr std::uint64_t first_task_ticket = 16; ///< above: the number of a task plus this

  workflow::instant now() const { return deps_.clock.now(this); }

  // ---- taking work ----

  /// Handling this message is the progress that keeps the lease: a scheduler that hangs does not come to it.
  void on_lease(const lease_changed& m) {
    const bool is_new = m.epoch != lease_.epoch;
    lease_ = {m.name, m.epoch};
    if (m.epoch != 0)
      tell(this, sender_of<lease_actor>(this), lease_progress{m.name});
    if (is_new)
      free_unknown_locks();
  }

  /// What this scheduler has locked and does not know of, from an earlier life or because an answer was lost, becomes
  /// claimable again; then it takes work.
  void free_unknown_locks() {
    ready_ = false;
    if (lease_.epoch == 0)
      return;
    store::free_locks what;
    what.scheduler = deps_.options.name;
    what.guard = lease_;
    for (const auto& [number, e] : tasks_)
      what.except.push_back(number);
    std::sort(what.except.begin(), what.except.end());
    write(free_ticket, std::move(what));
  }

  void claim() {
    if (draining_ || lease_.epoch == 0 || !ready_ || claiming_ || !work_
        || tasks_.size() >= deps_.options.in_flight_max)
      return;
    claiming_ = true;
    work_ = false;
    store::claim_tasks what;
    what.scheduler = deps_.options.name;
    const bool is_levelled = !workflow::mutant("load_not_levelled");
    const auto room = is_levelled ? deps_.options.in_flight_max - tasks_.size() : deps_.options.in_flight_max;
    what.max = std::min<std::size_t>(deps_.options.claim_max, room);
    if (!workflow::mutant("claims_without_guard"))
      what.guard = lease_;
    write(claim_ticket, std::move(what));
  }

  void on_freed(const store::outcome& o) {
    if (o.result != store::verdict::applied)
      return claim_later();
    if (o.more)
      return free_unknown_locks();
    ready_ = work_ = true;
    claim();
  }

  /// The store could not take the request.
  void claim_later() {
    claim_at_ = now() + deps_.options.retry_full;
    alarm_.set<scheduler_actor>(this, deps_.clock, claim_at_);
  }

  void on_claimed(const write_done& m, workflow::instant clock) {
    claiming_ = false;
    if (m.outcome->result != store::verdict::applied) {
      ready_ = m.outcome->result == store::verdict::full; // else some may be locked for it now
      claim_later();
      return finish_drain();
    }
    for (const auto& d : m.definitions)
      definitions_.add(d);
    for (const auto& t : m.outcome->tasks)
      if (t.locked_by == deps_.options.name)
        begin(t, clock);
    work_ = work_ || m.outcome->more;
    if (m.outcome->next != workflow::never)
      claim_at_ = m.outcome->next;
    alarm_.set<scheduler_actor>(this, deps_.clock, claim_at_);
    claim();
    finish_drain();
  }

  void begin(const workflow::task& t, workflow::instant clock) {
    auto& e = tasks_[t.number];
    e = task_in_flight{};
    e.definition = definitions_.find(t);
    know(e, t, clock);
    ++view_.claimed;
    log("taken", t, {});
    if (draining_)
      return handle(t.number, workflow::lock_released{});
    carry_out(e, workflow::outstanding(e.task()));
    go_on(t.number);
  }

  /// The task as it was stored when the store went by that clock. What was stored then is judged by no other one: the answer may
  /// be so late that meanwhile the clock is another and the task as well.
  void know(task_in_flight& e, const workflow::task& t, workflow::instant clock) {
    e.clock = workflow::mutant("known_by_any_clock") ? deps_.clock.reading(this).set_at : clock;
    auto known = std::make_shared<workflow::task>(t);
    workflow::carry_over(*known, *e.definition, e.clock);
    e.stored = std::move(known);
    e.revision = t.revision;
  }

  // ---- events ----

  void handle(std::uint64_t number, workflow::event what) {
    const auto found = tasks_.find(number);
    if (found == tasks_.end())
      return;
    found->second.waiting.push_back(std::move(what));
    go_on(number);
  }

  /// Applies waiting events until one has to be stored. The entry may be gone afterwards.
  void go_on(std::uint64_t number) {
    for (auto found = tasks_.find(number); found != tasks_.end(); found = tasks_.find(number)) {
      auto& e = found->second;
      if (e.committing || e.reading)
        return;
      if (e.reload)
        return read_again(number, e);
      if (e.waiting.empty())
        return;
      auto what = std::move(e.waiting.front());
      e.waiting.pop_front();
      const auto clock = deps_.clock.reading(this);
      auto change = workflow::apply(e.task(), *e.definition, what, clock);
      if (change.result != workflow::verdict::applied) {
        note_refusal(e, what, change);
        continue;
      }
      e.clock = clock.set_at;
      e.cause = std::move(what);
      commit(e, std::move(change), clock);
    }
  }

  void commit(task_in_flight& e, workflow::change change, const workflow::clock_reading& clock) {
    if (workflow::mutant("speaks_before_it_stores")) {
      const auto before = std::exchange(e.stored, std::make_shared<workflow::task>(change.next));
      carry_out(e, change.commands);
      e.stored = before;
    }
    store::update_task u;
    u.next = std::move(change.next);
    u.next.revision = e.revision;
    u.lock_epoch_before = e.task().lock_epoch;
    u.notices = change.notices;
    if (!workflow::mutant("alert_outside_commit"))
      u.alerts = change.alerts;
    e.committing = std::move(change);
    e.written = boxed<store::write>{store::write{std::move(u)}};
    write_boxed(e.task().number + first_task_ticket, e.written, clock);
  }

  void note_refusal(const task_in_flight& e, const workflow::event& what, const workflow::change& change) {
    if (!change.evidence)
      return;
    ++view_.late;
    log("late reply", e.task(), std::string{workflow::name_of(what)} + ": " + change.reason);
    write(evidence_ticket, store::keep_late_reply{e.task().number, *change.evidence});
  }

  // ---- the store's answers ----

  template <class What>
  void write(std::uint64_t ticket, What what) {
    write_boxed(ticket, boxed<store::write>{store::write{std::move(what)}}, {});
  }

  void write_boxed(std::uint64_t ticket, const boxed<store::write>& what, const workflow::clock_reading& judged) {
    write_request r;
    r.ticket = ticket;
    r.what = what;
    r.judged = judged;
    writes_.add(this, deps_.store, std::move(r));
  }

  void on_written(const write_done& m, workflow::instant clock) {
    switch (m.ticket) {
      case claim_ticket: return on_claimed(m, clock);
      case free_ticket: return on_freed(*m.outcome);
      case evidence_ticket: return;
      default: return on_stored(m.ticket - first_task_ticket, *m.outcome);
    }
  }

  void on_stored(std::uint64_t number, const store::outcome& o) {
    const auto found = tasks_.find(number);
    if (found == tasks_.end() || !found->second.committing)
      return;
    auto& e = found->second;
    const auto change = *std::exchange(e.committing, std::nullopt);
    const auto written = std::exchange(e.written, {}).share();
    auto cause = *std::exchange(e.cause, std::nullopt);
    if (o.result != store::verdict::applied && !workflow::mutant("fenced_work_goes_on")) {
      log("not stored", e.task(), o.why);
      return judge_again(number, std::move(cause), o.result);
    }
    e.stored = {written, &std::get<store::update_task>(*written).next};
    e.revision = o.revision;
    if (workflow::mutant("alert_outside_commit") && !change.alerts.empty()) {
      store::update_task late{e.task(), e.task().lock_epoch, {}, {}, change.alerts, {}, false};
      late.next.revision = e.revision;
      write(evidence_ticket, std::move(late));
    }
    agents_.settle(e.task());
    log_progress(e.task());
    carry_out(e, change.commands);
    if (e.task().locked_by != deps_.options.name)
      forget(number, workflow::has_ended(e.task()));
    else
      go_on(number);
  }

  /// Overtaken, not written, or nobody knows: what happened is judged once more by what the store holds then. A change that
  /// the store can never take is given up.
  void judge_again(std::uint64_t number, workflow::event cause, store::verdict why) {
    auto& e = tasks_.at(number);
    e.reload = true;
    if (why != store::verdict::refused)
      e.waiting.push_front(std::move(cause));
    if (why != store::verdict::full && why != store::verdict::unknown_outcome)
      return go_on(number);
    e.reading = true; // until the wait is over
    read_later(number);
  }

  void forget(std::uint64_t number, bool ended) {
    const auto& e = tasks_.at(number);
    for (const auto& what : e.waiting) // came too late; what an agent said is kept as evidence
      note_refusal(e, what, workflow::apply(e.task(), *e.definition, what, now()));
    agents_.forget(number);
    tasks_.erase(number);
    due_.forget(number);
    if (draining_)
      ++(ended ? drained_.finished : drained_.given_back);
    finish_drain();
    claim();
  }

  void on_news(const store_news& m) {
    for (const auto number : m.changed)
      if (const auto found = tasks_.find(number); found != tasks_.end()) {
        found->second.reload = true;
        go_on(number);
      }
    if (m.work) {
      work_ = true;
      claim();
    }
  }

  // ---- reading again what others changed ----

  void read_again(std::uint64_t number, task_in_flight& e) {
    e.reading = true;
    ask(this, deps_.reader, deps_.options.reader_limit, find_task{number})
      .then([this, number](const task_view& m) { on_read(number, m); },
            [this, number](const caf::error&) { read_later(number); });
  }

  void read_later(std::uint64_t number) {
    full_.push_back(number);
    full_until_ = now() + deps_.options.retry_full;
    alarm_.set<scheduler_actor>(this, deps_.clock, full_until_);
  }

  void on_read(std::uint64_t number, const task_view& m) {
    const auto found = tasks_.find(number);
    if (found == tasks_.end() || !found->second.reading)
      return;
    auto& e = found->second;
    if (m.task && m.task->revision < e.revision)
      return read_again(number, e); // read before what is known here was written
    e.reading = e.reload = false;
    const bool mine = m.task && m.task->locked_by == deps_.options.name && m.task->lock_epoch == e.task().lock_epoch;
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

  /// Attempts that were open here and are not any more are of no use to anybody.
  void stop_unwanted(const task_in_flight& e, const workflow::task* stored, bool mine) {
    for (std::size_t i = 0; i < e.task().steps.size(); ++i) {
      const auto& s = e.task().steps[i];
      if (s.doing == workflow::attempt_action::none)
        continue;
      const bool still =
        mine && stored->steps[i].doing != workflow::attempt_action::none && stored->steps[i].attempt == s.attempt;
      if (!still)
        stop(e.task(), i);
    }
  }

  // ---- carrying out ----

  void carry_out(task_in_flight& e, const std::vector<workflow::command>& commands) {
    for (const auto& c : commands)
      std::visit(workflow::overload{
                   [&](const workflow::dispatch& x) { send_order(e, x.step); },
                   [&](const workflow::stop_attempt& x) { stop(e.task(), x.step); },
                   [&](const workflow::expire_at& x) { be_woken(x.at, e.task().number, x.step); },
                   [&](const workflow::wake_at& x) { be_woken(x.at, e.task().number, x.step); },
                   [&](const workflow::let_go&) {},
                 },
                 c);
  }

  void be_woken(workflow::instant at, std::uint64_t number, std::size_t step) {
    due_.set(at, number, step);
    alarm_.set<scheduler_actor>(this, deps_.clock, at);
  }

  /// Not again: a second order for an attempt that has answered meanwhile would be a second call, perhaps beside its undo. Nor
  /// when it found no agent before: that it did not happen is about to be stored.
  void send_order(task_in_flight& e, std::size_t step) {
    const bool is_answered = has_answer(e, step) && !workflow::mutant("ordered_after_answer");
    if ((agents_.has_order(e.task(), step) || is_answered) && !workflow::mutant("ordered_twice"))
      return;
    const auto& s = e.task().steps[step];
    const workflow::attempt_ref ref{step, s.attempt, e.task().lock_epoch, draining_};
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
    ++view_.dispatched;
    orders_.add(this, agent, order_for(e.task(), *e.definition, step, std::move(input.bytes), e.clock));
  }

  void stop(const workflow::task& t, std::size_t step) {
    const auto& s = t.steps[step];
    orders_.send_all(this); // a stop does not overtake its order
    for (const auto& agent : agents_.holders(t, step))
      tell(this, agent, stop_order{t.number, static_cast<std::uint32_t>(step), s.attempt, t.lock_epoch});
  }

  // ---- agents and time ----

  void on_report(attempt_report m) {
    agents_.heard_of(m.task_number, m.step);
    const auto found = tasks_.find(m.task_number);
    if (found == tasks_.end()) {
      ++view_.late;
      return write(evidence_ticket, store::keep_late_reply{m.task_number, stray(m)});
    }
    const auto number = m.task_number;
    const bool is_last = draining_ && !workflow::mutant("drained_goes_on");
    handle(number, event_of(std::move(m), *found->second.definition, is_last));
  }

  workflow::late_reply stray(const attempt_report& m) const {
    return {std::to_string(m.step), m.attempt, m.epoch, "report", "the task is not in flight here", now()};
  }

  void on_tick(const tick_timer& m) {
    if (!alarm_.rings(m))
      return;
    const auto at = now();
    for (const auto& d : due_.take_due(at))
      on_due(d);
    if (full_until_ <= at)
      write_again();
    if (claim_at_ <= at) {
      claim_at_ = workflow::never;
      work_ = true;
      if (ready_)
        claim();
      else
        free_unknown_locks();
    }
    if (drain_until_ <= at)
      give_all_back();
    alarm_.set<scheduler_actor>(this, deps_.clock, std::min({due_.next(), full_until_, claim_at_, drain_until_}));
  }

  void on_due(const due_queue::entry& d) {
    const auto found = tasks_.find(d.task);
    if (found == tasks_.end())
      return;
    const auto& t = found->second.task();
    const auto& s = t.steps[d.step];
    if (s.doing != workflow::attempt_action::none)
      handle(d.task, workflow::attempt_expired{{d.step, s.attempt, t.lock_epoch, draining_}});
    else if (!draining_)
      handle(d.task, workflow::time_passed{});
  }

  void write_again() {
    full_until_ = workflow::never;
    for (const auto number : std::exchange(full_, {}))
      if (const auto found = tasks_.find(number); found != tasks_.end()) {
        found->second.reading = false;
        found->second.reload = true;
        go_on(number);
      }
  }

  // ---- stopping ----

  caf::result<drained> on_drain(const drain& m) {
    draining_ = true;
    drain_until_ = now() + m.limit;
    drain_promise_ = make_response_promise<drained>();
    auto answer = *drain_promise_;
    std::vector<std::uint64_t> idle;
    for (const auto& [number, e] : tasks_)
      if (!workflow::has_open_attempt(e.task()))
        idle.push_back(number);
    for (const auto number : idle)
      handle(number, workflow::lock_released{});
    alarm_.set<scheduler_actor>(this, deps_.clock, drain_until_);
    finish_drain();
    return answer;
  }

  void give_all_back() {
    drain_until_ = workflow::never;
    std::vector<std::uint64_t> all;
    for (const auto& [number, e] : tasks_)
      all.push_back(number);
    for (const auto number : all)
      handle(number, workflow::lock_released{});
  }

  void finish_drain() {
    if (!draining_ || !drain_promise_ || claiming_ || !tasks_.empty())
      return;
    writes_.send_all(this); // late replies, before anybody stops the store
    drain_promise_->deliver(drained_);
    drain_promise_.reset();
  }

  // ---- what it shows ----

  scheduler_view view() const {
    auto v = view_;
    v.name = deps_.options.name;
    v.in_flight = static_cast<std::uint32_t>(tasks_.size());
    v.in_flight_max = deps_.options.in_flight_max;
    v.draining = draining_;
    return v;
  }

  actor_state state(std::size_t listed_max) const {
    const auto load = [](const agent_load& a) -> state_tree {
      return {{"agent", a.agent}, {"node", a.node}, {"in_flight", a.in_flight}, {"unanswered", a.unanswered}};
    };
    const auto v = view();
    const std::string draining = tasks_.empty() ? "drained, " : "draining, ";
    return state_of((draining_           ? draining
                     : lease_.epoch == 0 ? "has no lease, "
                                         : "")
                      + std::to_string(v.in_flight) + " of " + counted(v.in_flight_max, "task"),
                    {{"lease_epoch", lease_.epoch},
                     {"draining", draining_},
                     {"claiming", claiming_},
                     {"next_claim_at", claim_at_},
                     {"claimed", v.claimed},
                     {"dispatched", v.dispatched},
                     {"late_replies", v.late},
                     {"timers", due_.size()},
                     {"next_timer_at", due_.next()},
                     {"agents", listed(agents_.loads(), listed_max, load)},
                     {"tasks", listed(oldest_tasks(), listed_max, [](const auto* e) { return tree_of(*e); })}},
                    tasks_.size());
  }

  std::vector<const task_in_flight*> oldest_tasks() const {
    std::vector<const task_in_flight*> all;
    for (const auto& [number, e] : tasks_)
      all.push_back(&e);
    std::sort(all.begin(), all.end(),
              [](const task_in_flight* a, const task_in_flight* b) { return a->task().number < b->task().number; });
    return all;
  }

  void log(const std::string& what, const workflow::task& t, const std::string& detail) const {
    if (deps_.log)
      deps_.log(what, t, detail);
  }

  void log_progress(const workflow::task& t) const {
    if (deps_.log && workflow::has_ended(t))
      deps_.log(std::string{workflow::to_string(t.state)}, t, t.cause);
  }

  scheduler_deps deps_;
  store::lease_guard lease_; ///< of this node; epoch 0: not held, nothing is taken
  agent_directory agents_;
  std::unordered_map<std::uint64_t, task_in_flight> tasks_;
  definition_cache definitions_;
  outbox<agent_actor, step_orders> orders_;
  outbox<store_actor, write_requests> writes_;
  due_queue due_;
  alarm alarm_;
  scheduler_view view_;
  bool ready_ = false;                           ///< what it has locked is what it knows of
  bool work_ = false;                            ///< the store may have something to claim
  bool claiming_ = false;                        ///< a claim is on its way
  workflow::instant claim_at_ = workflow::never; ///< a waiting task becomes claimable
  std::vector<std::uint64_t> full_;              ///< tasks whose change could not be stored, or read
  workflow::instant full_until_ = workflow::never;
  bool draining_ = false;
  workflow::instant drain_until_ = workflow::never;
  std::optional<caf::typed_response_promise<drained>> drain_promise_;
  drained drained_;
};

} // namespace

scheduler_actor spawn_scheduler(caf::actor_system& sys, scheduler_deps deps) {
  return sys.spawn<scheduler>(std::move(deps));
}

} // namespace steadfast::actors
