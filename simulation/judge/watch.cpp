#include "simulation/judge/watch.hpp"

#include "workflow/overload.hpp"
#include "workflow/transition/transition.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

namespace steadfast::simulation {

namespace {

using workflow::attempt_action;
using workflow::process_state;
using workflow::step_state;

constexpr std::string_view supervisor_lease = "supervisor";
constexpr std::size_t few = 100; ///< tasks; if there are more, they are not all checked each time

bool opens_attempt(const store::update_task& u) {
  return std::any_of(u.next.steps.begin(), u.next.steps.end(),
                     [](const workflow::step& s) { return s.doing != attempt_action::none; });
}

bool undoes(const store::update_task& u) {
  return std::any_of(u.next.steps.begin(), u.next.steps.end(), [](const workflow::step& s) {
    return s.state == step_state::compensating || s.state == step_state::compensated;
  });
}

bool completes(const store::update_task& u) {
  return std::any_of(u.next.steps.begin(), u.next.steps.end(),
                     [](const workflow::step& s) { return s.state == step_state::completed; });
}

/// Whose tasks are taken in their order: those of a workflow, or those with one key of its limit.
std::pair<std::string, std::string> queue_of(const workflow::task& t) {
  return {t.workflow, t.limit->key};
}

/// One that was under way already, or is undone after its end, takes turns with those that were not.
bool had_begun(const workflow::task& before) {
  return before.limit->is_under_way || (!before.limit.empty() && workflow::is_undoing(before));
}

} // namespace

const workflow::definition* watch::definition_of(const workflow::task& t) const {
  const auto found = std::find_if(workflows_.begin(), workflows_.end(),
                                  [&](const auto& d) { return d.name == t.workflow && d.version == t.version; });
  return found == workflows_.end() ? nullptr : &*found;
}

void watch::expect(bool holds, const workflow::task& t, const std::string& sentence) {
  if (!holds)
    violations_.push_back(t.id + " " + sentence);
}

// ---- commits ----

void watch::on_commit(std::uint32_t partition, const store::state_store* s, const store::write_list& batch,
                      const std::vector<store::outcome>& outcomes, commit_fate fate) {
  auto& in = parts_[partition];
  if (in.model)
    in.model->on_commit(s, batch, outcomes, fate);
  look_at_fate(batch, fate);
  look_at_clients(batch);
  if (s)
    look_at_turns(in, *s, batch, outcomes);
  for (std::size_t i = 0; i < outcomes.size(); ++i)
    look_at(in, *batch[i], outcomes[i], fate);
  const bool others_changed = std::any_of(batch.begin(), batch.end(), [](const auto* w) {
    return std::holds_alternative<store::claim_tasks>(*w) || std::holds_alternative<store::free_locks>(*w);
  });
  if (others_changed && s && !outcomes.empty())
    read_open_tasks(in, *s);
  if (!s)
    return;
  for (std::size_t i = 0; i < outcomes.size(); ++i)
    if (std::holds_alternative<store::submit_task>(*batch[i]) && outcomes[i].as<store::submit_result>().created)
      if (const auto t = s->find(
            outcomes[i].as<store::submit_result>().number)) // it may end and leave in a commit that nobody is told of
        note(*t);
  const auto note_all = [&](const std::vector<std::uint64_t>& numbers) {
    for (const auto number : numbers)
      if (const auto t = s->find(number))
        note(*t);
  };
  for (std::size_t i = 0; i < outcomes.size(); ++i) // what it began to wait for was there in the same commit
    if (const auto* update = std::get_if<store::update_task>(batch[i]);
        update && outcomes[i].is<store::update_result>() && outcomes[i].as<store::update_result>().took_event)
      note_all({update->next.number});
  for (const auto& o : outcomes)
    if (o.is<store::update_result>())
      note_all(o.as<store::update_result>().others.numbers);
    else if (o.is<store::event_result>())
      note_all(o.as<store::event_result>().others.numbers);
    else if (o.is<store::claim_result>())
      note_all(o.as<store::claim_result>().others.numbers);
    else if (o.is<store::free_result>())
      note_all(o.as<store::free_result>().others.numbers);
    else if (o.is<store::import_result>())
      note_all(o.as<store::import_result>().others.numbers);
    else if (o.is<store::schedule_result>())
      for (const auto number : o.as<store::schedule_result>().others.numbers)
        if (const auto t = s->find(number)) {
          if (t->parent.empty() && !look_at_scheduled(*t))
            violations_.push_back(t->id + ": its id tells no schedule and moment (P45)");
          note(*t);
        }
  if (fate == commit_fate::made) {
    look_at_events(in, batch, outcomes);
    look_at_rates(batch, outcomes);
  }
  look_at_limits(*s);
  if (may_leave_)
    look_at_purges(in, *s, batch, outcomes);
}

/// No more tasks of one key begin within the `per` of their limit than it says (P52).
void watch::look_at_rates(const store::write_list& batch, const std::vector<store::outcome>& outcomes) {
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    if (!std::holds_alternative<store::claim_tasks>(*batch[i]))
      continue;
    for (const auto& t : outcomes[i].as<store::claim_result>().tasks) {
      const auto at = t.limit->begun_at;
      const auto* d = definition_of(t);
      if (at == workflow::unset || d == nullptr || t.generation > 1)
        continue;
      auto& begun = begun_[queue_of(t)];
      const bool is_first = begun.emplace(t.number, at).second;
      const auto within = std::count_if(begun.begin(), begun.end(),
                                        [&](const auto& x) { return x.second <= at && at - x.second < d->limit->per; });
      if (within == d->limit->at_a_time)
        reached(row::rate_full);
      if (is_first && within > d->limit->at_a_time)
        violations_.push_back(t.id + ": more tasks with its key began at a time than its limit says (P52)");
    }
  }
}

std::size_t watch::count_knowing(const std::string& event, const std::string& id) const {
  return static_cast<std::size_t>(std::count_if(parts_.begin(), parts_.end(), [&](const part& p) {
    return p.events.contains({event, id});
  }));
}

/// An event that is sent again with its id, while it is kept, is the same one (P51).
void watch::look_at_events(part& in, const store::write_list& batch, const std::vector<store::outcome>& outcomes) {
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    const auto* w = std::get_if<store::send_event>(batch[i]);
    if (!w || w->is_question || outcomes[i].result != store::write_status::applied)
      continue;
    if (!w->is_elsewhere && !outcomes[i].as<store::event_result>().again)
      senders_.insert(w->who);
    if (w->id.empty())
      continue;
    in.latest_event = std::max(in.latest_event, w->now);
    const auto number = outcomes[i].as<store::event_result>().number;
    const auto [known, is_new] = in.events.try_emplace({w->name, w->id}, number, w->now);
    const bool is_kept = in.latest_event - known->second.second < store::store_options{}.events_keep_for;
    if (!is_new)
      reached(row::event_sent_again);
    if (is_kept && known->second.first != number)
      violations_.push_back("event " + w->id + " was sent again, and is another one (P51)");
  }
}

/// Of one key no more are under way than the limit says, but for those that a person, or a parent, has had begun again
/// (P49).
void watch::look_at_limits(const store::state_store& s) {
  if (std::none_of(workflows_.begin(), workflows_.end(), [](const auto& d) { return d.limit.has_value(); }))
    return;
  const auto counts = [](const workflow::task& t) { // not by its epoch, which a restored copy gives to all
    const bool has_begun = t.limit->is_under_way
                           || std::any_of(t.steps.begin(), t.steps.end(),
                                          [](const workflow::step& s) { return s.attempt > 0; }); // not skipped before
    return has_begun && !workflow::may_leave(t.state) && !t.limit.empty() && t.generation == 1;
  };
  std::map<std::pair<std::string, std::string>, std::vector<std::uint64_t>> under_way;
  for (const auto& [number, t] : tasks_)
    if (counts(t))
      under_way[queue_of(t)].push_back(number);
  for (auto& [queue, numbers] : under_way) {
    const auto most = definition_of(tasks_.at(numbers.front()))->limit->at_a_time;
    if (numbers.size() == most)
      reached(row::limit_full);
    if (numbers.size() <= most)
      continue;
    std::erase_if(numbers, [&](std::uint64_t number) { // it may have ended in a commit that nobody was told of
      const auto t = s.find(number);
      return !t || !counts(*t);
    });
    if (numbers.size() > most)
      violations_.push_back(std::to_string(numbers.size()) + " tasks of workflow " + queue.first + " with the key "
                            + queue.second + " are under way, and the limit is " + std::to_string(most) + " (P49)");
  }
}

bool watch::look_at_scheduled(const workflow::task& t) {
  const auto by = workflow::schedule_in(t.id);
  if (!by || !schedules_.contains(by->schedule))
    return false;
  if (const auto [known, is_new] = scheduled_.emplace(t.id, t.number); !is_new && known->second != t.number)
    violations_.push_back(t.id + ": a moment made two tasks (P45)");
  const bool may_wait = by->schedule.starts_with("queue") || by->schedule.starts_with("cancel"); // over another clock
  if (!may_wait && t.submitted_at < by->moment)
    violations_.push_back(t.id + ": it was made before its moment (P45)");
  if (!may_wait && t.submitted_at > by->moment + 2 * schedules_catch_up_max)
    violations_.push_back(t.id + ": its moment was too old (P45)");
  if (const auto only = moments_.find(by->schedule); only != moments_.end() && !only->second.contains(by->moment))
    violations_.push_back(t.id + ": its schedule has no such moment when the clocks are changed (P45)");
  return true;
}

void watch::look_at_moments(const workflow::schedule_state& s) {
  const auto known = moments_.find(s.what.name);
  if (known == moments_.end() || !s.paused_by.empty()) // a restored copy has all its schedules paused
    return;
  const auto next = known->second.upper_bound(s.settled_until);
  const bool is_next = next != known->second.end() && *next - s.settled_until < std::chrono::hours{12};
  if (is_next && s.next_at != *next) // by a wrong clock it may be another day
    violations_.push_back("schedule " + s.what.name + " misses a moment when the clocks are changed (P45)");
}

/// No task of a workflow is taken while an earlier one of it is left, by priority and then by age; of one with a limit,
/// no task that has not begun while an earlier one with its key is left (P49).
void watch::look_at_turns(const part& in, const store::state_store& s, const store::write_list& batch,
                          const std::vector<store::outcome>& outcomes) {
  if (tasks_.size() > few)
    return;
  const auto turn = [](const workflow::task& t) { return std::pair{t.priority, t.number}; };
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    const auto* w = std::get_if<store::claim_tasks>(batch[i]);
    if (!w)
      continue;
    std::map<std::pair<std::string, std::string>, const workflow::task*> last; // of those that were taken
    for (const auto& t : outcomes[i].as<store::claim_result>().tasks) {
      if (const auto known = tasks_.find(t.number); known != tasks_.end() && had_begun(known->second))
        continue;
      if (auto& x = last[queue_of(t)]; !x || turn(*x) < turn(t))
        x = &t;
    }
    for (const auto& [number, before] : tasks_) { // as they were before the commit
      const auto taken = last.find(queue_of(before));
      if (!is_in(in, number) || had_begun(before) || taken == last.end() || !(turn(before) < turn(*taken->second))
          || !workflow::is_claimable(before) || before.not_before > w->now.now)
        continue;
      const auto now = s.find(number);
      expect(!now || now->revision != before.revision, before,
             "was ready, comes before " + taken->second->id + " and was left when that was taken");
    }
  }
}

void watch::look_at_purges(const part& in, const store::state_store& s, const store::write_list& batch,
                           const std::vector<store::outcome>& outcomes) {
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    const auto* w = std::get_if<store::purge_ended>(batch[i]);
    if (!w || outcomes[i].as<store::purge_result>().purged == 0)
      continue;
    auto left = tasks_;
    std::erase_if(left, [&](const auto& x) {
      const bool may_leave = x.second.workflow == w->workflow || !x.second.parent.empty(); // with its parent
      return !is_in(in, x.first) || !may_leave || s.find(x.first);
    });
    for (const auto& [number, t] : left) {
      expect(w->keep.keep_at_most || !t.parent.empty()
               || (w->keep.keep_for && t.ended_at + *w->keep.keep_for <= w->now),
             t, "left the store before its time");
      on_left(t);
    }
  }
}

void watch::on_left(const workflow::task& t) {
  expect(workflow::may_leave(t.state), t, "left the store without having ended well (P4)");
  const auto last = t;
  tasks_.erase(last.number);
  if (const auto known = numbers_.find(last.id); known != numbers_.end() && known->second == last.number)
    numbers_.erase(known);
  std::erase_if(happened_, [begin = last.id + "/"](const auto& key) { return key.starts_with(begin); });
  std::erase_if(keys_, [&last](const auto& x) { return x.first.first.first == last.id; });
  std::erase_if(succeeded_, [&last](const auto& attempt) { return attempt.first.first == last.id; });
  std::erase_if(succeeded_at_, [&last](const auto& x) { return x.second.first.first == last.id; });
  if (on_purged)
    on_purged(last);
}

// What was committed when the process died, without anybody being told, is seen here first: at most one change of each
// task.
void watch::on_store_started(std::uint32_t partition, const store::state_store& s, bool is_restored) {
  auto& in = parts_[partition];
  if (in.model)
    in.model->on_store_started(s, is_restored);
  in.acquired_since_start.clear();
  // What became of it when the process died is not known.
  std::erase_if(waiting_, [&](const auto& x) { return is_in(in, x.first); });
  const bool looks_at_all = tasks_.size() <= few || std::exchange(in.commit_is_unknown, false);
  auto known = tasks_;
  for (const auto& [number, before] : known) {
    if (!is_in(in, number) || (!looks_at_all && number % few != 0))
      continue;
    const auto t = s.find(number);
    if (!t && may_leave_ && workflow::may_leave(before.state))
      on_left(before);
    else if (!t || t->revision < before.revision)
      violations_.push_back(before.id + (t ? " went back to an older revision" : " was stored and is lost")
                            + " while the store was closed (P1, P23)");
    else
      note(*t);
  }
  for (const auto& l : s.leases({workflow::never})) {
    auto& before = in.leases[l.name];
    if (l.epoch < before.epoch)
      violations_.push_back("the lease " + l.name + " fell back to epoch " + std::to_string(l.epoch) + " after "
                            + std::to_string(before.epoch) + " while the store was closed (P18)");
    const auto clock = before.ends_at == l.expires_at ? before.clock : std::nullopt;
    before = {std::max(l.epoch, before.epoch), l.holder, l.expires_at, clock};
  }
}

/// What a process that died was about to do, or had just done.
void watch::look_at_fate(const store::write_list& batch, commit_fate fate) {
  if (fate == commit_fate::no_room)
    reached(row::store_full);
  if (fate == commit_fate::unknown)
    reached(row::commit_unknown);
  if (fate != commit_fate::died_before && fate != commit_fate::died_after)
    return;
  const bool before = fate == commit_fate::died_before;
  for (const auto* w : batch) {
    if (std::holds_alternative<store::submit_task>(*w))
      reached(before ? row::killed_before_submission_is_stored : row::killed_before_acknowledgement);
    const auto* u = std::get_if<store::update_task>(w);
    if (!u)
      continue;
    if (opens_attempt(*u))
      reached(before ? row::killed_before_attempt_is_stored : row::killed_before_order);
    if (completes(*u))
      reached(before ? row::killed_before_answer_is_stored : row::killed_before_next_step);
    if (undoes(*u))
      reached(row::killed_while_undoing);
    if (!before && u->guard)
      reached(row::killed_after_failure_count);
    if (!before && workflow::has_ended(u->next) && !u->next.reply_to.empty())
      reached(row::killed_before_observer_is_told);
  }
}

void watch::look_at_clients(const store::write_list& batch) {
  std::set<std::string> ids;
  std::set<std::string> claiming;
  for (const auto* w : batch) {
    if (const auto* submitted = std::get_if<store::submit_task>(w); submitted && !ids.insert(submitted->what.id).second)
      reached(row::one_id_twice_at_once);
    if (const auto* claim = std::get_if<store::claim_tasks>(w))
      claiming.insert(claim->scheduler);
  }
  if (claiming.size() > 1)
    reached(row::two_claims_in_one_commit);
}

void watch::look_at(part& in, const store::write& w, const store::outcome& o, commit_fate fate) {
  const bool is_applied = o.result == store::write_status::applied;
  std::visit(workflow::overload{
               [&](const store::submit_task& x) {
                 if (is_applied && !o.as<store::submit_result>().created)
                   reached(row::acknowledgement_lost);
                 else if (is_applied)
                   on_submitted(x, o.as<store::submit_result>());
               },
               [&](const store::update_task& u) { on_update(u, o.to<store::update_task>(), fate); },
               [&](const store::claim_tasks& x) { on_claim(x, o.as<store::claim_result>()); },
               [&](const store::keep_late_reply& x) { on_evidence(x); },
               [&](const store::acknowledge_notices& x) {
                 if (on_acknowledged_notices)
                   on_acknowledged_notices(x.number, x.sequence);
               },
               [&](const store::acquire_lease& x) {
                 if (is_applied)
                   on_acquired(in, x, o.as<store::lease_result>().epoch);
               },
               [&](const store::renew_lease& x) {
                 if (is_applied) {
                   in.leases[x.name].ends_at = x.now.now + x.ttl;
                   in.leases[x.name].clock = x.now.set_at;
                 }
               },
               [&](const store::release_lease& x) {
                 if (is_applied)
                   in.leases[x.name].ends_at = workflow::unset;
                 else
                   reached(row::release_does_not_count);
               },
               [](const auto&) {},
             },
             w);
}

/// Tasks that a claim or a supervisor's freeing may have changed without naming them. If there are many, they are not
/// read.
void watch::read_open_tasks(const part& in, const store::state_store& s) {
  std::vector<std::uint64_t> open;
  for (const auto& [number, t] : tasks_)
    if (is_in(in, number) && !workflow::has_ended(t))
      open.push_back(number);
  if (open.size() > few)
    return;
  for (const auto number : open)
    if (const auto t = s.find(number))
      note(*t);
}

void watch::on_update(const store::update_task& u, const store::answer<store::update_task>& o, commit_fate fate) {
  using store::write_status;
  if (o.result == write_status::stale_lock)
    reached(row::supervisor_and_scheduler_at_once);
  if ((o.result == write_status::stale_lock || o.result == write_status::stale_epoch)
      && stood_still_.contains(u.next.locked_by))
    reached(row::write_after_pause);
  if (o.result == write_status::stale_epoch && u.guard && u.guard->name == supervisor_lease)
    reached(row::two_supervisors);
  if (o.result != write_status::applied)
    return;
  waiting_.erase(u.next.number);
  if (const auto known = tasks_.find(u.next.number); known != tasks_.end())
    look_at_decision(u, known->second);
  if (const auto known = tasks_.find(u.next.number); known != tasks_.end())
    expect(u.next.revision >= known->second.revision && u.lock_epoch_before >= known->second.lock_epoch, u.next,
           "was written over by one who did not know its last change (P18)");
  if (u.bulk != 0)
    expect(took_.insert({u.bulk, u.next.number}).second, u.next, "took the same bulk act twice (P33)");
  auto after = u.next;
  after.revision = o.revision;
  for (const auto& a : u.alerts)
    if (a.kind == "set_aside")
      reached(row::task_kills_its_scheduler);
  if (u.guard && fate == commit_fate::made && !workflow::has_ended(after))
    decided_.insert(after.number);
  else
    decided_.erase(after.number);
  note(after);
}

/// The holder of the supervisor's lease counts rounds, and an alert is in the commit that causes it.
void watch::look_at_decision(const store::update_task& u, const workflow::task& before) {
  for (std::size_t i = 0; i < u.next.steps.size(); ++i) {
    const auto& was = before.steps[i];
    const auto& is = u.next.steps[i];
    expect(is.failure_count <= was.failure_count || (u.guard && u.guard->name == supervisor_lease), u.next,
           "has a failed round counted by one who does not say that it supervises (P18)");
    expect(is.state != step_state::compensation_failed || was.state == step_state::compensation_failed
             || !u.alerts.empty(),
           u.next, "has an undo that failed, and its alert is not in the same commit (P17)");
  }
}

void watch::on_submitted(const store::submit_task& w, const store::submit_result& o) {
  if (on_stored)
    on_stored(w.what.id);
  waiting_[o.number] = w.what.not_before;
}

/// An untouched task does not begin before its time.
void watch::on_claim(const store::claim_tasks& w, const store::claim_result& o) {
  for (const auto& t : o.tasks)
    if (const auto waited = waiting_.find(t.number); waited != waiting_.end()) {
      expect(waited->second <= w.now.now, t, "was begun before its time");
      waiting_.erase(waited);
    }
  for (const auto& t : o.tasks) {
    on_taken(t);
    if (on_claimed)
      on_claimed(t);
  }
}

void watch::on_taken(const workflow::task& t) {
  if (const auto known = tasks_.find(t.number); known != tasks_.end()) {
    const auto& before = known->second;
    expect(t.lock_epoch > before.lock_epoch, t, "was taken under an epoch that is not new (P18)");
    const bool is_turned_round = workflow::is_undoing(t) != workflow::is_undoing(before);
    for (std::size_t i = 0; i < t.steps.size(); ++i) {
      const bool goes_on =
        before.steps[i].doing == attempt_action::perform && t.steps[i].doing == attempt_action::perform;
      expect(!goes_on || t.steps[i].maybe_done, t,
             "was taken over, and that its attempt may have acted was forgotten (P15)");
      expect(
        is_turned_round
          || (t.steps[i].tries >= before.steps[i].tries && t.steps[i].failure_count >= before.steps[i].failure_count),
        t, "was taken, and its failures were forgotten (P14)");
    }
  }
  note(t);
}

void watch::on_evidence(const store::keep_late_reply& w) {
  const auto says = [&](std::string_view text) { return w.what.why.find(text) != std::string::npos; };
  if (says("is the current one"))
    reached(row::answer_of_older_attempt);
  if (says("the attempt is over"))
    reached(row::answer_twice);
  if (says("complete-by has passed"))
    reached(row::answer_after_complete_by);
  if (says("older lock") || says("not in flight here"))
    reached(row::order_under_older_lock);
  const auto t = tasks_.find(w.number);
  if (t == tasks_.end())
    reached(row::answer_never_asked_for);
  else if (w.what.outcome == "attempt_succeeded"
           && (workflow::is_undoing(t->second) || t->second.state == process_state::undone))
    reached(row::success_after_undo_began);
}

void watch::on_acknowledged(const std::string& id, const std::optional<workflow::task>& stored) {
  if (stored && may_leave_)
    note(*stored); // it may end and leave in commits of which nobody hears
  if (!stored)
    violations_.push_back(id + " was acknowledged and is not stored (P1)");
}

void watch::on_refused(const std::string& id, const std::string& why) {
  violations_.push_back(id + " was refused: " + why + " (P2)");
}

void watch::on_acquired(part& in, const store::acquire_lease& w, std::uint64_t epoch) {
  auto& l = in.leases[w.name];
  if (epoch <= l.epoch)
    violations_.push_back("the lease " + w.name + " was acquired under epoch " + std::to_string(epoch) + " after "
                          + std::to_string(l.epoch) + " (P18)");
  const auto ends_at = l.clock == w.now.set_at ? l.ends_at : w.now.set_at + w.ttl;
  const bool may_be_over = l.ends_at == workflow::unset || !l.clock || ends_at <= w.now.now;
  if (!may_be_over && l.holder != w.holder)
    violations_.push_back("the lease " + w.name + " was given to " + w.holder + " while " + l.holder
                          + " held it (P19)");
  l = {std::max(l.epoch, epoch), w.holder, w.now.now + w.ttl, w.now.set_at};
  if (in.acquired_since_start.insert(w.name).second && epoch > 1)
    reached(row::lease_acquired_after_restart);
  if (w.name == supervisor_lease)
    in.supervising = w.holder.substr(0, w.holder.find(':'));
}

bool watch::is_supervising(const std::string& node) const {
  return std::any_of(parts_.begin(), parts_.end(), [&](const part& p) { return p.supervising == node; });
}

// ---- calls ----

const workflow::task* watch::task_of(const std::string& id) const {
  const auto known = numbers_.find(id);
  return known == numbers_.end() ? nullptr : &tasks_.at(known->second);
}

void watch::on_call(std::uint64_t agent, const actors::call& what) {
  const step_name step{what.task_id, what.step};
  const auto complain_of = [&](const std::string& sentence) {
    complain(what.task_id + " step `" + what.step + "` " + sentence);
  };
  if (what.began_at >= what.complete_by)
    complain_of("was called after its complete-by (P12)");
  auto& before = unanswered_[{agent, {step, what.attempt}}];
  if (before.stop_possible() && !before.stop_requested())
    complain_of("was called twice at a time for one attempt (P11)");
  before = what.stop;
  if (succeeded_at_.contains({{agent, what.epoch}, {step, what.attempt}}))
    complain_of("was called again by an agent to which its service had said that it was done (P11)");
  expect_stored(what);
}

void watch::expect_stored(const actors::call& what) {
  const auto* t = task_of(what.task_id);
  const auto* d = t ? definition_of(*t) : nullptr;
  const auto i = d ? workflow::find_step(*d, what.step) : std::nullopt;
  if (!i || t->steps[*i].attempt < what.attempt || t->lock_epoch < what.epoch) {
    violations_.push_back(what.task_id + " step `" + what.step + "` was called before the attempt was stored (P10)");
    return;
  }
  expect_key(what, *t, *i);
  const bool is_undone =
    t->steps[*i].state == step_state::compensating || t->steps[*i].state == step_state::compensated;
  expect(what.action != attempt_action::perform || !is_undone, *t,
         "step `" + what.step + "` was called after its undo had begun (P15)");
}

/// All attempts of a step carry one key, and one more for each that a person asked for.
void watch::expect_key(const actors::call& what, const workflow::task& t, std::size_t i) {
  auto& keys = keys_[{{what.task_id, what.step}, what.action}];
  keys.insert(what.key);
  expect(keys.size() <= std::size_t{1} + t.steps[i].key_generation, t,
         "step `" + what.step + "` was called with another key, " + what.key + " (P9)");
}

void watch::on_effect(const actors::call& what) {
  if (what.action == attempt_action::perform)
    happened_.insert(what.key);
  else
    happened_.erase(what.reverses);
}

void watch::on_answer(std::uint64_t agent, const actors::call& what, const actors::answer& a) {
  const attempt_name attempt{{what.task_id, what.step}, what.attempt};
  unanswered_.erase({agent, attempt});
  if (a.kind == actors::report_kind::succeeded)
    succeeded_at_.insert({{agent, what.epoch}, attempt});
  if (a.kind == actors::report_kind::succeeded)
    succeeded_.insert(attempt);
}

} // namespace steadfast::simulation
