// What is stored, compared with the model.

#include "simulation/judge/count_all.hpp"
#include "simulation/judge/store_model.hpp"
#include "store/verbs/decide_note.hpp"
#include "workflow/on_call/incident.hpp"
#include "workflow/overload.hpp"
#include "workflow/transition/transition.hpp"

#include <algorithm>
#include <utility>

namespace steadfast::simulation {

namespace {

using workflow::process_state;

constexpr std::size_t list_page = 4; ///< tasks, so that there are several
constexpr std::size_t as_many_as_there_are = 10'000;
constexpr std::uint32_t checks_permille = 250; ///< of looks and of starts of the store: every record is read

} // namespace

void store_model::on_store_started(const store::state_store& s, bool is_restored) {
  if (!is_small_)
    return;
  const auto before = std::exchange(tasks_, {});
  auto leases = std::exchange(leases_, {});
  read_all(s);
  for (const auto& [number, t] : tasks_) {
    const auto known = before.find(number);
    if (known == before.end())
      continue;
    if (is_restored)
      expect(workflow::has_ended(t) || t.lock_epoch > known->second.lock_epoch,
             t.id + " has an epoch in a restored copy that was given before (P26)");
    else if (t.revision == known->second.revision)
      expect(t == known->second, t.id + " is another than before the store was closed (P4)");
  }
  for (const auto& [name, l] : leases)
    if (const auto now = leases_.find(name); is_restored && now != leases_.end())
      expect(now->second.epoch > l.epoch,
             "the lease " + name + " has an epoch in a restored copy that was given before (P26)");
  if (chance_.happens(checks_permille))
    for (const auto& fault : s.check().faults)
      expect(false, "the store is broken when it is opened: " + fault);
}

// ---- what is read ----

/// The tasks that the write may have changed, as its answer says. Nothing: that is not known.
std::optional<store_model::task_numbers> store_model::named_by(const store::write& w, const store::outcome& o) const {
  const auto with_others = [](task_numbers all, const auto& answer) {
    all.insert(answer.others.numbers.begin(), answer.others.numbers.end());
    return std::optional{std::move(all)};
  };
  return std::visit(
    workflow::overload{
      [&](const store::submit_task&) { return std::optional{task_numbers{o.to<store::submit_task>().number}}; },
      [&](const store::update_task& x) { return with_others({x.next.number}, o.to<store::update_task>()); },
      [&](const store::claim_tasks&) {
        const auto claimed = o.to<store::claim_tasks>();
        task_numbers all;
        for (const auto& t : claimed.tasks)
          all.insert(t.number);
        return with_others(std::move(all), claimed);
      },
      [&](const store::free_locks& x) {
        task_numbers all;
        for (const auto& [number, t] : tasks_)
          if (t.locked_by == x.scheduler)
            all.insert(number);
        return with_others(std::move(all), o.to<store::free_locks>());
      },
      [](const store::keep_late_reply& x) { return std::optional{task_numbers{x.number}}; },
      [](const store::acknowledge_notices&) { return std::optional{task_numbers{}}; },
      [](const store::acquire_lease&) { return std::optional{task_numbers{}}; },
      [](const store::renew_lease&) { return std::optional{task_numbers{}}; },
      [](const store::release_lease&) { return std::optional{task_numbers{}}; },
      [&](const store::send_event&) { return with_others({}, o.to<store::send_event>()); },
      [&](const store::put_schedule&) { return with_others({}, o.to<store::put_schedule>()); },
      [&](const store::act_on_schedule&) { return with_others({}, o.to<store::act_on_schedule>()); },
      [&](const store::fire_schedules&) { return with_others({}, o.to<store::fire_schedules>()); },
      [](const auto&) { return std::optional<task_numbers>{}; },
    },
    w);
}

std::optional<store_model::task_numbers> store_model::named_in(const store::write_list& batch,
                                                               const std::vector<store::outcome>& outcomes,
                                                               std::size_t first) const {
  task_numbers all;
  for (auto i = first; i < outcomes.size(); ++i) {
    auto named = named_by(*batch[i], outcomes[i]);
    if (!named)
      return std::nullopt;
    all.merge(*named);
  }
  return all;
}

/// Whatever else changed is found by compare(), which reads all.
void store_model::read_again(const store::state_store& s, const std::optional<task_numbers>& which) {
  if (!which)
    return read_all(s);
  for (const auto number : *which)
    read_task(s, number);
  read_notices(s);
  read_leases(s);
  last_number_ = s.counts().last_number;
  is_small_ = tasks_.size() <= small;
  is_read_ = true;
}

void store_model::read_all(const store::state_store& s) {
  is_read_ = true;
  bulk_acts_.clear();
  tasks_.clear();
  numbers_.clear();
  notices_.clear();
  late_replies_.clear();
  ready_.clear();
  unsure_.clear();
  const auto found = s.list({}, std::nullopt, small + 1).tasks;
  is_small_ = found.size() <= small;
  for (const auto& x : found)
    read_task(s, x.number);
  read_notices(s);
  read_leases(s);
  last_number_ = s.counts().last_number;
}

void store_model::read_task(const store::state_store& s, std::uint64_t number) {
  ready_.erase(number);
  unsure_.erase(number);
  auto t = s.find(number);
  if (!t)
    return;
  numbers_[t->id] = number;
  if (t->acts.empty()) // else a person may have changed it
    first_payload_.try_emplace(number, t->payload.view());
  if (workflow::is_claimable(*t) && t->not_before != workflow::unset)
    unsure_.insert(number);
  if (!t->reply_to.empty())
    notices_[t->reply_to];
  late_replies_[number] = s.late_replies(number, as_many_as_there_are).size();
  tasks_[number] = *std::move(t);
}

void store_model::read_notices(const store::state_store& s) {
  for (auto& [observer, open] : notices_) {
    open.clear();
    for (const auto& n : s.notices(observer, 0, 0, as_many_as_there_are))
      open.insert({n.task_number, n.what.sequence});
  }
}

void store_model::read_leases(const store::state_store& s) {
  leases_.clear();
  for (const auto& l : s.leases({workflow::never}))
    leases_[l.name] = {l.holder, l.epoch, l.expires_at, std::nullopt, {}};
}

// ---- what is compared ----

void store_model::compare(const store::state_store& s) {
  compare_tasks(s);
  compare_lists(s);
  compare_overdue(s);
  compare_alerts(s);
  compare_bulk_acts(s);
  if (chance_.happens(checks_permille))
    for (const auto& fault : s.check().faults)
      expect(false, "the store is broken: " + fault);
}

void store_model::compare_tasks(const store::state_store& s) {
  for (const auto& [number, t] : tasks_) {
    const auto by_number = s.find(number);
    const auto by_id = s.find(t.id);
    if (!by_number || !by_id) {
      expect(false, t.id + " is stored, and cannot be found (P4)");
      continue;
    }
    expect(*by_number == t, t.id + " is not stored as it was written (P4)");
    expect(by_id->number == numbers_.at(t.id), t.id + " is found as another task (P2)");
    const auto late = s.late_replies(number, as_many_as_there_are).size();
    expect(late == std::min<std::size_t>(late_replies_[number], store::late_replies_max),
           t.id + " has " + std::to_string(late) + " late replies, not " + std::to_string(late_replies_[number])
             + " (P11)");
  }
  for (const auto& [observer, open] : notices_) {
    std::set<notice_name> told;
    for (const auto& n : s.notices(observer, 0, 0, as_many_as_there_are))
      told.insert({n.task_number, n.what.sequence});
    expect(told == open, observer + " has other progress to be told than was stored (P4, P17)");
  }
}

void store_model::compare_list(const store::state_store& s, const store::task_filter& f,
                               const std::function<bool(const workflow::task&)>& matches, const std::string& what) {
  std::vector<std::uint64_t> expected;
  for (auto t = tasks_.rbegin(); t != tasks_.rend(); ++t)
    if (matches(t->second))
      expected.push_back(t->first);
  std::vector<std::uint64_t> listed;
  for (std::optional<std::uint64_t> before; listed.size() <= expected.size();) {
    const auto found = s.list(f, before, list_page);
    for (const auto& t : found.tasks)
      listed.push_back(t.number);
    before = found.next;
    if (!before)
      break;
  }
  expect(listed == expected, "the list of tasks " + what + " has " + std::to_string(listed.size())
                               + " tasks, or others, not " + std::to_string(expected.size()) + " (P4)");
  expect(count_all(s, f) == expected.size(), "the number of tasks " + what + " is wrong (P4)");
}

void store_model::compare_lists(const store::state_store& s) {
  std::map<process_state, std::uint64_t> counts;
  std::set<std::string> owners;
  for (const auto& [number, t] : tasks_) {
    ++counts[t.state];
    if (!t.locked_by.empty())
      owners.insert(t.locked_by);
  }
  compare_list(
    s, {}, [](const auto&) { return true; }, "of all kinds");
  for (const auto& [state, count] : s.counts().tasks)
    expect(count == counts[state], "there are " + std::to_string(counts[state]) + " tasks "
                                     + std::string{to_string(state)} + ", and " + std::to_string(count)
                                     + " were counted");
  for (const auto& [state, count] : counts) {
    store::task_filter f;
    f.states = {state};
    compare_list(
      s, f, [state = state](const auto& t) { return t.state == state; }, std::string{to_string(state)});
  }
  for (const auto& owner : owners) {
    store::task_filter f;
    f.locked_by = owner;
    compare_list(
      s, f, [&](const auto& t) { return t.locked_by == owner; }, "in flight at " + owner);
  }
  if (tasks_.empty())
    return;
  const auto& some = std::next(tasks_.begin(), static_cast<std::ptrdiff_t>(chance_.below(tasks_.size())))->second;
  store::task_filter f;
  f.workflow = some.workflow;
  f.submitted_before = some.submitted_at;
  compare_list(
    s, f, [&](const auto& t) { return t.workflow == some.workflow && t.submitted_at < some.submitted_at; },
    "of " + some.workflow + " before " + some.id);
}

void store_model::compare_overdue(const store::state_store& s) {
  std::set<std::uint64_t> found;
  std::optional<std::pair<workflow::instant, std::uint64_t>> after;
  do {
    const auto due = s.overdue(now_, after, list_page);
    for (const auto& t : due.tasks)
      found.insert(t.number);
    after = due.next;
  } while (after && found.size() <= tasks_.size());
  for (const auto& [number, t] : tasks_)
    expect(found.contains(number) == (workflow::next_due(t, definition_of(t)) <= now_),
           t.id + (found.contains(number) ? " is told to be overdue, and is not" : " is overdue, and not told to be")
             + " (P13)");
}

void store_model::compare_bulk_acts(const store::state_store& s) {
  for (const auto& b : s.bulk_acts(false, std::nullopt, as_many_as_there_are).acts) {
    const auto met = b.done + b.refused + b.skipped;
    const auto known = bulk_acts_.find(b.number);
    if (known == bulk_acts_.end() || b.state != workflow::bulk_state::ended)
      continue;
    const auto [there, left, is_open] = known->second;
    expect(met <= there && met + left >= there,
           "a bulk act of " + std::to_string(there) + " tasks met " + std::to_string(met) + " (P33)");
  }
}

/// Healthy tasks have no open alert; each open alert is in an open incident, and each open incident has one.
void store_model::compare_alerts(const store::state_store& s) {
  std::size_t in_incidents = 0;
  for (const auto& x : s.incidents(true, std::nullopt, as_many_as_there_are).incidents) {
    store::alert_filter f;
    f.incident = x.number;
    f.open_only = false;
    const auto held = s.find_alerts(f, std::nullopt, as_many_as_there_are).alerts.size();
    expect(held > 0, "the incident " + std::to_string(x.number) + " is open, and nothing is wrong (P17)");
    expect(held == x.alerts, "the incident " + std::to_string(x.number) + " counts its alerts wrongly (P17)");
    f.open_only = true;
    in_incidents += s.find_alerts(f, std::nullopt, as_many_as_there_are).alerts.size();
  }
  const auto open = s.alerts(true, as_many_as_there_are);
  expect(open.size() == in_incidents, "of " + std::to_string(open.size()) + " open alerts "
                                        + std::to_string(in_incidents) + " are in an open incident (P17)");
  for (const auto& a : open)
    if (const auto t = tasks_.find(a.task_number); t != tasks_.end())
      expect(!workflow::may_leave(t->second.state) || !workflow::is_about_present_state(a.what),
             t->second.id + " ended well, and an alert of it is open (P17): " + a.what.kind + ": " + a.what.text);
}

} // namespace steadfast::simulation
