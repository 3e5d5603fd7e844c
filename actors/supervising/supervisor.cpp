// Searches the deadline index for what nobody noticed, lets workflow::review decide on each task, and stores the
// decision under the epoch of its lease. It knows no business meaning and restarts nothing.

#include "actors/supervising/supervisor.hpp"

#include "actors/common/deadline_timer.hpp"
#include "actors/common/known_definitions.hpp"
#include "actors/common/observed.hpp"
#include "actors/common/one_write.hpp"
#include "actors/common/state_tree.hpp"
#include "actors/protocol/type_ids.hpp"
#include "actors/supervising/condition_watch.hpp"
#include "actors/supervising/schedule_watch.hpp"
#include "workflow/supervision/lease_term.hpp"
#include "workflow/supervision/node_card.hpp"
#include "workflow/supervision/review.hpp"
#include "workflow/task/waiting.hpp"
#include "workflow/transition/transition.hpp"

#include <caf/actor_system.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <algorithm>
#include <deque>
#include <map>
#include <utility>

namespace steadfast::actors {

namespace {

class supervisor : public observed<supervisor_actor> {
public:
  supervisor(caf::actor_config& cfg, supervisor_deps deps) : observed{cfg}, deps_{std::move(deps)} {}

  const char* name() const override { return "supervisor"; }

  void on_exit() override { deps_ = {}; }

  behavior_type make_behavior() override {
    tell(this, deps_.store, subscribe{});
    return {
      one_by_one<const writes_done>([this](const write_done& w) { on_written(w); }),
      [this](const store_news& m) { on_news(m); },
      [this](const tick_timer& m) { on_tick(m); },
      [this](const lease_changed& m) { on_lease(m); },
      [this](const inspect_state& m) { return state(m.listed_max); },
    };
  }

private:
  workflow::instant now() const { return deps_.clock.now(this); }

  void on_lease(const lease_changed& m) {
    const bool is_new = m.epoch != view_.epoch;
    lease_ = m.name;
    keeper_ = sender_of<lease_actor>(this);
    view_.epoch = m.epoch;
    view_.active = m.epoch != 0;
    if (!is_new)
      return;
    freed_.clear();
    watch_.stop();
    schedules_.stop();
    if (!view_.active)
      return;
    schedules_.begin({lease_, view_.epoch});
    sweep();
  }

  /// A hint that something needs review: do not wait for the period to end.
  void on_news(const store_news& m) {
    if (!m.review)
      return;
    schedules_.hint();
    sweep();
  }

  void on_tick(const tick_timer& m) {
    schedules_.on_tick(m);
    if (timer_.fires<supervisor_actor>(this, deps_.clock, m))
      sweep();
  }

  void sweep() {
    if (!view_.active)
      return;
    if (sweeping_) {
      again_ = true;
      return;
    }
    sweeping_ = true;
    again_ = false;
    ++view_.sweeps;
    view_.last_sweep = now();
    read_page({view_.last_sweep, {}, 0, deps_.options.review_max});
    read_leases();
    schedules_.look();
    watch_.look({lease_, view_.epoch}, ++ticket_, schedules_.do_all_know());
    if (view_.last_sweep - view_.last_survey >= deps_.options.survey_period)
      survey();
  }

  void read_page(const find_overdue& where) {
    ask(this, deps_.reader, deps_.options.reader_limit, where)
      .then([this, where](const overdue_page& page) { on_page(where, page); },
            [this](const caf::error&) { sweep_later(); });
  }

  void on_page(const find_overdue& where, const overdue_page& page) {
    for (const auto& d : page.definitions)
      definitions_.add(d);
    for (const auto& t : page.tasks)
      review(*t);
    if (page.more && view_.active)
      read_page({where.now, page.next_due, page.next_number, deps_.options.review_max});
    else
      end_sweep();
  }

  void end_sweep() {
    tell(this, keeper_, lease_progress{lease_});
    sweep_later();
    if (again_)
      sweep();
  }

  /// After a read that failed this is no progress: a node that cannot read must not keep the lease.
  void sweep_later() {
    sweeping_ = false;
    timer_.set<supervisor_actor>(this, deps_.clock, now() + deps_.options.period);
  }

  /// `stuck`: why it was, of which people are told; empty: it was not.
  void review(const workflow::task& t, const std::string& stuck = {}) {
    ++view_.reviewed;
    const auto d = definitions_.find(t);
    if (!d || !view_.active)
      return;
    const auto clock = deps_.clock.reading(this);
    auto change = workflow::apply_review(t, *d, clock, deps_.options.slack);
    if (change.result != workflow::event_status::applied)
      return;
    if (deps_.log)
      deps_.log("reviewed", change.next, std::string{workflow::to_string(change.next.state)});
    remember({clock.now, t.id, std::string{workflow::to_string(change.next.state)}, change.next.cause});
    if (!stuck.empty())
      change.alerts.push_back(workflow::alert_of_stuck(stuck, t, change.next, clock.now));
    store::update_task u;
    u.lock_epoch_before = t.lock_epoch;
    u.guard = store::lease_guard{lease_, view_.epoch};
    u.notices = std::move(change.notices);
    u.alerts = std::move(change.alerts);
    u.next = std::move(change.next);
    write_request r;
    r.what = boxed<store::write>{store::write{std::move(u)}};
    r.holder = t.locked_by;
    r.decided_by = clock;
    tell(this, deps_.store, write_requests{{std::move(r)}});
  }

  // ---- tasks that are stuck ----

  /// Looks at every unfinished task, whatever the deadline index says.
  void survey() {
    view_.last_survey = view_.last_sweep;
    ask(this, deps_.reader, deps_.options.reader_limit, list_workflows{})
      .then(
        [this](const workflow_page& page) {
          for (const auto& d : page.definitions)
            definitions_.add(d);
          survey_page(0);
        },
        [](const caf::error&) {}); // the next survey asks again
  }

  void survey_page(std::uint64_t before) {
    store::task_filter in_the_works;
    in_the_works.states = {workflow::process_state::processing, workflow::process_state::undoing};
    ask(this, deps_.reader, deps_.options.reader_limit,
        list_tasks{boxed<store::task_filter>{std::move(in_the_works)}, before, deps_.options.review_max})
      .then(
        [this](const boxed<store::task_page>& page) {
          for (const auto& t : page->tasks)
            free_if_stuck(t);
          if (page->next && view_.active)
            survey_page(*page->next);
        },
        [](const caf::error&) {});
  }

  void free_if_stuck(const workflow::task& t) {
    const auto d = definitions_.find(t);
    const auto why = d ? workflow::why_stuck(t, *d, deps_.clock.reading(this), deps_.options.patience) : "";
    if (why.empty())
      return;
    ++view_.stuck;
    review(t, why);
  }

  // ---- nodes that are gone ----

  void read_leases() {
    ask(this, deps_.reader, deps_.options.reader_limit, list_leases{})
      .then([this](const lease_page& page) { on_leases(page); }, [](const caf::error&) {}); // the next sweep asks again
  }

  /// A node's locks are freed when its lease has ended, once for each time that it ends.
  void on_leases(const lease_page& page) {
    if (!workflow::can_be_renewed(page.store_since, page.now))
      return;
    const auto before = std::exchange(freed_, {});
    schedules_.learn(all_know_schedules(page));
    for (const auto& lease : page.leases) {
      const auto node = workflow::node_of_lease(lease->name);
      const bool gone = workflow::has_ended(lease->expires_at, deps_.options.node_ttl, page.store_since, page.now);
      if (!node || !gone || !view_.active)
        continue;
      const auto freed = before.find(lease->name);
      if (freed != before.end() && freed->second == lease->epoch)
        freed_.insert(*freed);
      else
        free_locks_of(*node, *lease);
    }
  }

  static bool all_know_schedules(const lease_page& page) {
    return std::all_of(page.leases.begin(), page.leases.end(), [&page](const boxed<store::lease>& x) {
      return x->expires_at <= page.now || !workflow::older_node(x->name, x->note, workflow::knowledge::schedules);
    });
  }

  void free_locks_of(const std::string& node, const store::lease& lease) {
    store::free_locks what;
    what.scheduler = node;
    what.max = deps_.options.review_max;
    what.guard = store::lease_guard{lease_, view_.epoch};
    what.gone = store::lease_guard{lease.name, lease.epoch};
    freeing_[++ticket_] = *what.gone;
    tell_one_write(this, deps_.store, ticket_, std::move(what));
  }

  /// Whatever was not all freed is tried again by the next sweep.
  void on_freed(const store::lease_guard& node, const store::outcome& o) {
    if (o.result == store::write_status::applied && !o.as<store::free_result>().more)
      freed_[node.name] = node.epoch;
  }

  /// An overtaken decision is no loss: the next sweep sees the task as it is then.
  void on_written(const write_done& m) {
    if (const auto freeing = freeing_.extract(m.ticket); !freeing.empty())
      return on_freed(freeing.mapped(), *m.outcome);
    if (schedules_.has_asked(m.ticket))
      return schedules_.on_written(*m.outcome);
    if (watch_.has_reported(m.ticket))
      return; // what was refused is looked at again
    if (m.outcome->result == store::write_status::applied)
      ++view_.decided;
  }

  // ---- what it shows ----

  struct decision {
    workflow::instant at;
    std::string task;
    std::string state; ///< that the task is in then
    std::string cause;
  };

  void remember(decision d) {
    decisions_.push_front(std::move(d));
    if (decisions_.size() > decisions_kept)
      decisions_.pop_back();
  }

  actor_state state(std::size_t listed_max) const {
    const auto decided = [](const decision& d) -> state_tree {
      return {{"at", d.at}, {"task", d.task}, {"state", d.state}, {"cause", d.cause}};
    };
    const auto condition = [](const workflow::system_condition& c) -> state_tree {
      return {{"kind", c.what.kind}, {"workflow", c.what.workflow}, {"text", c.text}};
    };
    const auto freed = [](const auto& f) -> state_tree { return {{"lease", f.first}, {"epoch", f.second}}; };
    return state_of(view_.active ? "supervises under epoch " + std::to_string(view_.epoch) : "stands by",
                    {{"active", view_.active},
                     {"lease", lease_},
                     {"epoch", view_.epoch},
                     {"sweeps", view_.sweeps},
                     {"last_sweep_at", view_.last_sweep},
                     {"sweeping", sweeping_},
                     {"reviewed", view_.reviewed},
                     {"decided", view_.decided},
                     {"last_survey_at", view_.last_survey},
                     {"stuck_tasks_found", view_.stuck},
                     {"looks_for_schedules_at", schedules_.next_at()},
                     {"tasks_of_schedules", schedules_.made()},
                     {"conditions", listed(watch_.held(), listed_max, condition)},
                     {"last_decisions", listed(decisions_, listed_max, decided)},
                     {"nodes_freed_of_locks", listed(freed_, listed_max, freed)}});
  }

  static constexpr std::size_t decisions_kept = 100;

  supervisor_deps deps_;
  struct {
    bool active = false; ///< holds the lease
    std::uint64_t epoch = 0;
    std::uint64_t sweeps = 0;
    std::uint64_t reviewed = 0;
    std::uint64_t decided = 0;
    std::uint64_t stuck = 0; ///< tasks found that nobody would have continued
    workflow::instant last_sweep;
    workflow::instant last_survey;
  } view_;
  known_definitions definitions_;
  condition_watch watch_{this, deps_, definitions_};
  schedule_watch schedules_{this, deps_};
  deadline_timer timer_;
  std::string lease_;
  lease_actor keeper_;
  bool sweeping_ = false;
  bool again_ = false; ///< a hint came during a sweep
  std::uint64_t ticket_ = 0;
  std::map<std::uint64_t, store::lease_guard> freeing_; ///< by ticket: the lease whose holder's locks are being freed
  std::deque<decision> decisions_;                      ///< the newest first
  std::map<std::string, std::uint64_t> freed_;          ///< lease of a node that is gone, and the epoch of that life
};

} // namespace

supervisor_actor spawn_supervisor(caf::actor_system& sys, supervisor_deps deps) {
  return sys.spawn<supervisor>(std::move(deps));
}

} // namespace steadfast::actors
