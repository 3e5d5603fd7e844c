#include "simulation/judge/store_model.hpp"

#include "simulation/world/documents.hpp"
#include "store/lmdb/schema.hpp"
#include "store/verbs/decide_event.hpp"
#include "workflow/overload.hpp"
#include "workflow/supervision/fair_share.hpp"
#include "workflow/transition/transition.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <deque>
#include <stdexcept>
#include <variant>

namespace steadfast::simulation {

namespace {

using store::write_status;
using workflow::process_state;

constexpr std::size_t result_inline_max = 256; ///< a larger one is kept on its own (docs/storage-format.md)

bool say_the_same(std::string_view a, std::string_view b) {
  return a == b || nlohmann::json::parse(a, nullptr, false) == nlohmann::json::parse(b, nullptr, false);
}

/// A result that was not read when the task was changed is left out of the change.
void fill_in(workflow::task& next, const workflow::task& before, bool payload_changed) {
  if (!payload_changed)
    next.payload = before.payload;
  for (std::size_t i = 0; i < next.steps.size(); ++i)
    if (next.steps[i].result.empty() && before.steps[i].result.size() > result_inline_max)
      next.steps.change(i).result = before.steps[i].result;
}

} // namespace

store_model::store_model(const std::vector<workflow::definition>& workflows, std::uint64_t seed, complain_to complain,
                         const workflow::partition& of)
    : workflows_{with_those_of_items(workflows)},
      chance_{seed},
      complain_{std::move(complain)},
      partition_{of} {
  constexpr std::uint32_t looks[] = {0, 20, 100}; // a look has what is committed saved
  looks_permille_ = looks[chance_.below(std::size(looks))];
}

void store_model::expect(bool holds, const std::string& sentence) {
  if (!holds)
    complain_(sentence);
}

const workflow::definition& store_model::definition_of(const workflow::task& t) const {
  const auto found = std::find_if(workflows_.begin(), workflows_.end(),
                                  [&](const auto& d) { return d.name == t.workflow && d.version == t.version; });
  if (found == workflows_.end())
    throw std::logic_error{"a task of a workflow that is not there"};
  return *found;
}

// ---- what was written ----

void store_model::on_commit(const store::state_store* s, const store::write_list& batch,
                            const std::vector<store::outcome>& outcomes, commit_fate fate) {
  if (!s || !is_small_)
    return;
  const bool was_read = is_read_;
  std::size_t judged = 0;
  for (; judged < outcomes.size() && is_read_; ++judged) { // the others build on what it does not know
    compare(*batch[judged], outcomes[judged]);
    if (const auto* purge = std::get_if<store::purge_ended>(batch[judged]);
        purge && outcomes[judged].as<store::purge_result>().purged > 0)
      compare(*purge, *s);
  }
  is_small_ = tasks_.size() <= small;
  if (!is_read_)
    read_again(*s, was_read ? named_in(batch, outcomes, judged - 1) : std::nullopt);
  else if (fate == commit_fate::made && chance_.happens(looks_permille_))
    compare(*s);
}

/// Of a task that waits for events, or has children or a parent, the same write may change more than it says.
bool store_model::may_change_more(const workflow::task& t) const {
  const auto& steps = definition_of(t).steps;
  return !t.parent.empty() || std::any_of(steps.begin(), steps.end(), [](const workflow::step_definition& s) {
    return store::takes_event(s) || workflow::starts_child(s);
  });
}

bool store_model::is_foreseen(const store::write& w) const {
  if (std::holds_alternative<store::claim_tasks>(w) || std::holds_alternative<store::free_locks>(w))
    return std::none_of(tasks_.begin(), tasks_.end(), [this](const auto& x) {
      const auto& t = x.second;
      return !workflow::has_ended(t) && (may_change_more(t) || !t.limit.empty()); // whom others with its key keep back
    });
  const auto* const update = std::get_if<store::update_task>(&w);
  return update == nullptr || !may_change_more(update->next);
}

void store_model::compare(const store::write& w, const store::outcome& o) {
  if (!is_foreseen(w)) {
    is_read_ = false;
    return;
  }
  std::visit(workflow::overload{
               [](const store::purge_ended&) {},
               [&](const store::set_aside_damaged&) { is_read_ = false; },
               [&](const store::send_event&) { is_read_ = false; },
               [&](const store::act_on_schedule&) { is_read_ = false; },
               [&](const store::fire_schedules&) { is_read_ = false; },
               [&](const store::import_task&) { is_read_ = false; },
               [&]<class Write>(const Write& x) {
                 if constexpr (requires { this->judge_one(x, o.to<Write>()); })
                   this->judge_one(x, o.to<Write>());
               },
             },
             w);
}

void store_model::judge_one(const store::submit_task& w, const store::answer<store::submit_task>& o) {
  now_ = w.now;
  const auto& id = w.what.id;
  const auto known = numbers_.find(id);
  const bool is_same = known != numbers_.end() && first_payload_.contains(known->second)
                       && say_the_same(first_payload_.at(known->second), w.what.payload.view());
  if (o.result != write_status::applied)
    return expect(o.result != write_status::refused || !is_same, id + " was refused, and is the same as before (P2)");
  if (!o.created) {
    expect(known != numbers_.end() && o.number == known->second, id + " was taken for another task (P2)");
    if (known != numbers_.end() && first_payload_.contains(known->second))
      expect(is_same, id + " was accepted with another body than before (P2)");
    return;
  }
  expect(known == numbers_.end(), id + " made a second task (P2)");
  expect(o.number == workflow::next_number(partition_, last_number_),
         id + " has the number " + std::to_string(o.number) + " after " + std::to_string(last_number_));
  const auto d =
    std::find_if(workflows_.begin(), workflows_.end(), [&](const auto& x) { return x.name == w.what.workflow; });
  auto t = workflow::make_task(w.what, *d, w.now);
  t.number = last_number_ = o.number;
  t.revision = 1;
  if (!t.reply_to.empty())
    notices_[t.reply_to].insert({t.number, 1});
  first_payload_[t.number] = std::string{w.what.payload.view()};
  numbers_[id] = t.number;
  tasks_[t.number] = std::move(t);
}

void store_model::judge_one(const store::update_task& w, const store::answer<store::update_task>& o) {
  const auto known = tasks_.find(w.next.number);
  if (o.result != write_status::applied) {
    const bool is_lost = is_held(w.guard, w.now) != true;
    const bool is_overtaken = known == tasks_.end() || known->second.revision != w.next.revision
                              || known->second.lock_epoch != w.lock_epoch_before;
    expect(o.result != write_status::stale_lock || is_overtaken,
           w.next.id + " was not changed, as if it were stale (P18)");
    expect(o.result != write_status::stale_epoch || is_lost, w.next.id + " was not changed under a lease that is held");
    return expect(o.result != write_status::absent || known == tasks_.end(),
                  w.next.id + " was taken for one that is not there");
  }
  if (known == tasks_.end())
    return expect(false, w.next.id + " was changed, and is not there");
  auto& t = known->second;
  expect(t.revision == w.next.revision && t.lock_epoch == w.lock_epoch_before, w.next.id + " was written over (P18)");
  expect(is_held(w.guard, w.now) != false, w.next.id + " was changed under a lease that was lost (P18)");
  for (const auto& n : w.notices)
    expect(n.sequence > t.notices && n.sequence <= w.next.notices, w.next.id + " told progress out of order (P17)");
  expect(w.bulk == 0 || !stopped_.contains(w.bulk), w.next.id + " took a bulk act that was stopped (P33)");
  expect(w.next.state != process_state::error || t.state == process_state::error || !w.alerts.empty(),
         w.next.id + " went to error, and its alert is not in the same commit (P17)");
  auto next = w.next;
  fill_in(next, t, w.payload_changed);
  next.revision = t.revision;
  replace(t, std::move(next), w.notices);
  expect(o.revision == t.revision, w.next.id + " is at another revision than was told");
}

void store_model::replace(workflow::task& before, workflow::task after, const std::vector<workflow::notice>& notices) {
  after.revision = before.revision + 1;
  if (!after.reply_to.empty())
    for (const auto& n : notices)
      notices_[after.reply_to].insert({after.number, n.sequence});
  if (!workflow::is_claimable(after) || after.not_before != before.not_before) {
    ready_.erase(after.number);
    unsure_.erase(after.number);
  }
  before = std::move(after);
}

bool store_model::is_waiting(const workflow::task& t) const {
  return workflow::is_claimable(t) && (t.not_before == workflow::unset || ready_.contains(t.number));
}

/// The rules of the documents: by priority, then by the shares of workflows, then by age; it examines everything each
/// time.
std::vector<workflow::task*> store_model::line_for(const store::claim_tasks& w) {
  std::map<std::uint8_t, std::map<std::uint32_t, std::deque<workflow::task*>>> waiting;
  for (auto& [number, t] : tasks_)
    if (is_waiting(t))
      waiting[t.priority][store::workflow_tag(t.workflow)].push_back(&t);
  std::map<std::uint32_t, std::uint64_t> loads;
  for (const auto& x : w.loads)
    loads[store::workflow_tag(x.workflow)] += x.load;
  workflow::places p{w.places == 0 ? std::uint64_t{1} << 40U : w.places, w.in_flight};
  std::vector<workflow::task*> line;
  for (auto& [priority, lanes] : waiting) {
    std::vector<std::uint32_t> tags;
    for (const auto& [tag, lane] : lanes)
      if (workflow::may_take(loads[tag], p))
        tags.push_back(tag);
    std::rotate(tags.begin(), std::upper_bound(tags.begin(), tags.end(), store::workflow_tag(w.after)), tags.end());
    while (!tags.empty()) {
      std::vector<std::uint64_t> of;
      for (const auto tag : tags)
        of.push_back(loads[tag]);
      const auto i = workflow::whose_turn(of, p);
      if (!i)
        break;
      auto& lane = lanes[tags[*i]];
      if (lane.empty()) {
        tags.erase(tags.begin() + static_cast<std::ptrdiff_t>(*i));
        continue;
      }
      ++loads[tags[*i]];
      ++p.taken;
      line.push_back(lane.front());
      lane.pop_front();
    }
  }
  return line;
}

void store_model::judge_one(const store::claim_tasks& w, const store::answer<store::claim_tasks>& o) {
  now_ = w.now.now;
  if (o.result != write_status::applied)
    return expect(o.result != write_status::stale_epoch || is_held(w.guard, w.now) != true,
                  w.scheduler + " may take nothing, and its lease is held");
  expect(is_held(w.guard, w.now) != false, w.scheduler + " took tasks under a lease that was lost (P18)");
  for (const auto& [number, t] : tasks_)
    if (workflow::is_claimable(t) && t.not_before <= w.now.now)
      ready_.insert(number);
  for (const auto number : unsure_)
    if (const auto t = tasks_.find(number);
        t != tasks_.end() && workflow::is_claimable(t->second) && !ready_.contains(number)) {
      is_read_ = false;
      return;
    }
  expect(w.guard.has_value(), w.scheduler + " took tasks without saying under which lease (P18)");
  std::size_t taken = 0;
  for (auto* t : line_for(w)) {
    if (taken == w.max)
      break;
    auto change = workflow::apply(*t, definition_of(*t), workflow::taken{w.scheduler}, w.now);
    if (change.result != workflow::event_status::applied)
      continue;
    replace(*t, std::move(change.next), change.notices);
    if (t->locked_by != w.scheduler)
      continue;
    const bool is_it = taken < o.tasks.size() && o.tasks[taken].number == t->number;
    expect(is_it, t->id + " was to be taken next, by priority, share and age, and was not (P6, P29)");
    if (!is_it) {
      is_read_ = false;
      return;
    }
    expect(o.tasks[taken] == *t, t->id + " was taken as another than it is stored");
    ++taken;
  }
  expect(o.tasks.size() == taken, w.scheduler + " got more tasks than were to be had");
}

void store_model::judge_one(const store::free_locks& w, const store::answer<store::free_locks>& o) {
  const auto gone = w.gone ? leases_.find(w.gone->name) : leases_.end();
  const auto is_free_now = gone == leases_.end() ? std::nullopt : is_free(gone->second, w.now);
  if (o.result == write_status::applied) {
    expect(is_held(w.guard, w.now) != false, "locks were freed under a lease that was lost (P18)");
    expect(!w.gone || gone == leases_.end() || (gone->second.epoch == w.gone->epoch && is_free_now != false),
           "the locks of " + w.scheduler + " were freed, and it lives (P19)");
  }
  std::uint64_t freed = 0;
  for (auto& [number, t] : tasks_) {
    if (o.result != write_status::applied || freed == w.max)
      break;
    if (t.locked_by != w.scheduler || std::binary_search(w.except.begin(), w.except.end(), number))
      continue;
    const auto e = w.graceful ? workflow::event{workflow::lock_released{}} : workflow::event{workflow::lock_lapsed{}};
    auto change = workflow::apply(t, definition_of(t), e, w.now);
    if (change.result != workflow::event_status::applied)
      continue;
    replace(t, std::move(change.next), change.notices);
    ++freed;
  }
  if (o.result == write_status::applied)
    expect(o.freed == freed, w.scheduler + " lost " + std::to_string(o.freed) + " locks, not " + std::to_string(freed));
}

void store_model::compare(const store::purge_ended& w, const store::state_store& s) {
  std::uint64_t of_workflow = 0;
  for (const auto& [number, t] : tasks_)
    of_workflow += t.workflow == w.workflow && workflow::may_leave(t.state) ? 1 : 0;
  const auto over = workflow::surplus(w.keep, of_workflow);
  if (std::any_of(tasks_.begin(), tasks_.end(), [](const auto& x) { return !x.second.parent.empty(); }))
    is_read_ = false; // children leave with their parents
  auto left = tasks_;
  std::erase_if(left, [&](const auto& x) { return x.second.workflow != w.workflow || s.find(x.first).has_value(); });
  for (const auto& [number, t] : left) {
    expect(over > 0 || workflow::leaves_at(w.keep, t.ended_at) <= w.now, t.id + " left the store before its time (P4)");
    const auto& open = notices_[t.reply_to];
    const auto first = open.lower_bound({number, 0});
    expect(t.reply_to.empty() || first == open.end() || first->first != number,
           t.id + " left the store before its observer was told (P4)");
    if (const auto known = numbers_.find(t.id); known != numbers_.end() && known->second == number)
      numbers_.erase(known);
    first_payload_.erase(number);
    late_replies_.erase(number);
    tasks_.erase(number);
    for (auto& [bulk, b] : bulk_acts_)
      b.left += b.is_open ? 1 : 0;
  }
}

void store_model::judge_one(const store::acknowledge_notices& w, const store::answer<store::acknowledge_notices>& o) {
  auto& open = notices_[w.observer];
  if (o.result == write_status::applied)
    open.erase(open.lower_bound({w.number, 0}), open.upper_bound({w.number, w.sequence}));
}

void store_model::judge_one(const store::keep_late_reply& w, const store::answer<store::keep_late_reply>& o) {
  if (o.result == write_status::applied)
    ++late_replies_[w.number];
  else
    expect(o.result != write_status::absent || !tasks_.contains(w.number),
           "a late reply was not kept, and its task is there (P11)");
}

void store_model::judge_one(const store::start_bulk& w, const store::answer<store::start_bulk>& o) {
  if (o.result == write_status::applied && !w.is_question)
    bulk_acts_[o.number] = {tasks_.size()};
}

void store_model::judge_one(const store::advance_bulk& w, const store::answer<store::advance_bulk>& o) {
  if (const auto b = bulk_acts_.find(w.number); b != bulk_acts_.end() && o.result == write_status::applied && w.is_last)
    b->second.is_open = false;
}

void store_model::judge_one(const store::stop_bulk& w, const store::answer<store::stop_bulk>& o) {
  if (o.result == write_status::applied)
    stopped_.insert(w.number);
}

// ---- leases ----

/// Absent: it was given by another clock, of which the store knows less than the model, or before the store was opened,
/// and its length is not known.
std::optional<bool> store_model::is_free(const known_lease& l, const workflow::clock_reading& clock) {
  if (l.ends_at == workflow::unset)
    return true;
  if (!l.ttl)
    return std::nullopt;
  if (l.clock == clock.set_at)
    return l.ends_at <= clock.now;
  return clock.now < clock.set_at + *l.ttl ? std::optional{false} : std::nullopt;
}

std::optional<bool> store_model::is_held(const std::optional<store::lease_guard>& guard,
                                         const workflow::clock_reading& clock) const {
  if (!guard)
    return true;
  const auto l = leases_.find(guard->name);
  if (l == leases_.end() || l->second.epoch != guard->epoch || l->second.ends_at == workflow::unset)
    return false;
  if (clock.now == workflow::unset)
    return true;
  const auto free = is_free(l->second, clock);
  return free ? std::optional{!*free} : std::nullopt;
}

void store_model::judge_one(const store::acquire_lease& w, const store::answer<store::acquire_lease>& o) {
  const auto l = leases_.find(w.name);
  const bool is_others = l != leases_.end() && l->second.holder != w.holder;
  if (o.result != write_status::applied)
    return expect(l == leases_.end() || (is_others && is_free(l->second, w.now) != true),
                  "the lease " + w.name + " was refused to " + w.holder + ", and is free (P6)");
  expect(!is_others || is_free(l->second, w.now) != false, "the lease " + w.name + " was taken from its holder (P19)");
  leases_[w.name] = {w.holder, o.epoch, w.now.now + w.ttl, w.ttl, w.now.set_at};
}

void store_model::judge_one(const store::renew_lease& w, const store::answer<store::renew_lease>& o) {
  const auto l = leases_.find(w.name);
  if (l == leases_.end())
    return;
  const bool is_its =
    l->second.ends_at != workflow::unset && l->second.holder == w.holder && l->second.epoch == w.epoch;
  expect((o.result == write_status::applied) == is_its,
         "the lease " + w.name + (is_its ? " was not renewed by its holder (P6)" : " was renewed by a stranger (P19)"));
  if (o.result == write_status::applied) {
    l->second.ends_at = w.now.now + w.ttl;
    l->second.ttl = w.ttl;
    l->second.clock = w.now.set_at;
  }
}

void store_model::judge_one(const store::release_lease& w, const store::answer<store::release_lease>& o) {
  const auto l = leases_.find(w.name);
  if (o.result != write_status::applied || l == leases_.end())
    return;
  expect(l->second.holder == w.holder && l->second.epoch == w.epoch,
         "the lease " + w.name + " was released by a stranger (P19)");
  l->second.ends_at = workflow::unset;
}

} // namespace steadfast::simulation
