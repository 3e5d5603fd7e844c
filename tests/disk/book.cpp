#include "tests/disk/book.hpp"

#include "tests/unit/store/support.hpp"

#include <algorithm>
#include <utility>

namespace steadfast::tests {

using namespace store;
using namespace store::test;
using workflow::task;

namespace {

void change(task& t, const workflow::event& e, workflow::clock_reading now) {
  auto made = workflow::apply(t, delivery(), e, now);
  if (made.result != workflow::event_status::applied)
    return;
  t = std::move(made.next);
  ++t.revision;
}

/// All that ended well.
planned plan_purge(workflow::instant now) {
  purge_ended w{"delivery", {}, 1000, {}, now};
  w.keep.keep_at_most = 0;
  return {w, [](book& b, bool) {
            std::erase_if(b.tasks, [](const auto& x) { return workflow::may_leave(x.second.state); });
          }};
}

} // namespace

std::string difference(const state_store& s, const book& b) {
  const auto stats = s.counts();
  if (stats.last_number != b.last_number)
    return "the last number is " + std::to_string(stats.last_number) + ", not " + std::to_string(b.last_number);
  std::uint64_t count = 0;
  for (const auto& [state, n] : stats.tasks)
    count += n;
  if (count != b.tasks.size())
    return "there are " + std::to_string(count) + " tasks, not " + std::to_string(b.tasks.size());
  for (const auto& [id, t] : b.tasks) {
    const auto stored = s.find(id);
    if (!stored)
      return id + " is lost";
    if (*stored != t)
      return id + " is another one: revision " + std::to_string(stored->revision) + ", not "
             + std::to_string(t.revision);
  }
  std::map<std::string, std::uint64_t> epochs;
  for (const auto& l : s.leases({workflow::never}))
    epochs[l.name] = l.epoch;
  for (const auto& [name, epoch] : b.lease_epochs)
    if (epochs[name] < epoch)
      return "the epoch of the lease " + name + " fell below " + std::to_string(epoch);
  const auto faults = s.check().faults;
  return faults.empty() ? "" : "the store is broken: " + faults.front();
}

void planner::plan(std::vector<planned>& batch, const book& known, workflow::instant now) {
  switch (below(9)) {
    case 0:
    case 1:
    case 2: return plan_submission(batch, known, now);
    case 3: return plan_claim(batch, now);
    case 4: return plan_freeing(batch, now);
    case 5: batch.push_back(plan_purge(now)); return;
    case 6:
      batch.push_back(
        {acquire_lease{"l" + std::to_string(below(2)), "s1", "", workflow::span{1000}, now}, [](book&, bool) {}});
      return;
    default: return plan_update(batch, known, now);
  }
}

void planner::plan_submission(std::vector<planned>& batch, const book& known, workflow::instant now) {
  auto s = order("t" + std::to_string(below(3) == 0 ? below(ids_ + 1) : ids_++), below(3) == 0 ? text(9000) : "{}");
  const auto there = known.tasks.find(s.id);
  if (there != known.tasks.end())
    s.payload = there->second.payload;
  batch.push_back({submit_task{s, now}, [s, now](book& b, bool no_room) {
                     if (no_room || b.tasks.contains(s.id))
                       return;
                     auto t = workflow::make_task(s, delivery(), now);
                     t.number = ++b.last_number;
                     t.revision = 1;
                     b.tasks[s.id] = t;
                   }});
}

void planner::plan_claim(std::vector<planned>& batch, workflow::instant now) {
  const claim_tasks w{"s" + std::to_string(below(2)), 1 + below(4), now};
  batch.push_back({w, [w](book& b, bool) {
                     std::vector<task*> line;
                     for (auto& [id, t] : b.tasks)
                       if (workflow::is_claimable(t) && t.not_before <= w.now.now)
                         line.push_back(&t);
                     std::sort(line.begin(), line.end(), [](const auto* x, const auto* y) {
                       return std::pair{x->priority, x->number} < std::pair{y->priority, y->number};
                     });
                     line.resize(std::min(line.size(), w.max));
                     for (auto* t : line)
                       change(*t, workflow::taken{w.scheduler}, w.now);
                   }});
}

void planner::plan_freeing(std::vector<planned>& batch, workflow::instant now) {
  const free_locks w{"s" + std::to_string(below(2)), 1000, below(2) == 0, now};
  batch.push_back({w, [w](book& b, bool) {
                     for (auto& [id, t] : b.tasks)
                       if (t.locked_by == w.scheduler)
                         change(t, w.graceful ? workflow::event{workflow::lock_released{}} : workflow::lock_lapsed{},
                                w.now);
                   }});
}

void planner::plan_update(std::vector<planned>& batch, const book& known, workflow::instant now) {
  std::vector<const task*> open;
  for (const auto& [id, t] : known.tasks)
    if (workflow::has_open_attempt(t))
      open.push_back(&t);
  if (open.empty())
    return plan_submission(batch, known, now);
  const auto& t = *open[below(open.size())];
  const auto e = event_for(t);
  const auto made = workflow::apply(t, delivery(), e, now);
  if (made.result != workflow::event_status::applied)
    return plan_submission(batch, known, now);
  batch.push_back({update_by(t, delivery(), e, now), [before = t, next = made.next](book& b, bool) {
                     const auto there = b.tasks.find(before.id);
                     if (there == b.tasks.end() || there->second.number != before.number
                         || there->second.revision != before.revision)
                       return; // changed by the batch
                     there->second = next;
                     ++there->second.revision;
                   }});
}

workflow::event planner::event_for(const task& t) {
  std::size_t i = 0;
  while (t.steps[i].doing == workflow::attempt_action::none)
    ++i;
  const workflow::attempt_ref ref{i, t.steps[i].attempt, t.lock_epoch};
  switch (below(6)) {
    case 0: return workflow::attempt_failed{ref, below(2) == 0, true, workflow::span{0}, "no luck"};
    case 1: return workflow::suspended{{"ann", "because"}};
    default: return workflow::attempt_succeeded{ref, workflow::blob{text(2000)}, {}};
  }
}

} // namespace steadfast::tests
