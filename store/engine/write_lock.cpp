// Schedulers take tasks and lose them again.

#include "store/engine/write_batch.hpp"
#include "store/lmdb/indexes.hpp"
#include "store/lmdb/prefix_scan.hpp"
#include "store/lmdb/ready_tasks.hpp"
#include "store/verbs/tasks/decide_lock.hpp"

#include "workflow/transition/transition.hpp"

#include <memory>
#include <utility>

namespace steadfast::store {

std::optional<workflow::task> write_batch::apply_to(std::uint64_t number, const workflow::event& e,
                                                    const workflow::clock_reading& clock, bool whole) {
  try {
    auto* there = settings_.known->find(number);
    const auto submitted = there != nullptr ? there->submitted : nullptr;
    const auto row = submitted ? std::nullopt : row_of(number);
    if (!submitted && !row)
      return std::nullopt;
    const auto stored = row ? std::optional{read(number, *row, whole)} : std::nullopt;
    if (there == nullptr)
      there = &settings_.known->add_read(number, outline_of(*stored), *row);
    auto change = workflow::apply(submitted ? *submitted : stored->state.task, *there->now.definition, e, clock);
    if (change.result != workflow::event_status::applied)
      return std::nullopt;
    change.next.revision = replace(*there, {change.next, change.notices, change.alerts});
    return std::move(change.next);
  } catch (const damaged_record&) { // reported by read(); the others go on
    return std::nullopt;
  }
}

answer<claim_tasks> write_batch::make(const claim_tasks& w) {
  if (auto wrong = problem_of(w))
    return *std::move(wrong);
  if (auto lost = not_held(w.guard, w.now))
    return *std::move(lost);
  claim_wake wake;
  const bool any_rest = deliver_rest(w.now.now, wake.before);
  wake.before.more = say_rest_of_notes(w.now.now) || wake.before.more;
  let_take_events(wake.before.others);
  promote_due(txn_, in_, w.now.now, promoted_max);
  const auto take = [&](std::uint64_t number, const workflow::event& e) {
    if (any_rest) // its event may be there, and its time over
      let_take_all(number, w.now.now);
    return apply_to(number, e, w.now, true);
  };
  auto said = decide(w, ready_tasks{txn_, in_}, settings_.known->turns(), take);
  wake.after = let_take_events();
  follow(said, w, std::move(wake));
  return said;
}

answer<free_locks> write_batch::make(const free_locks& w) {
  if (auto lost = not_held(w.guard, w.now))
    return *std::move(lost);
  if (auto held = still_held(w.gone, w.now))
    return *std::move(held);
  const auto max = looked_at_max(w);
  if (max == 0)
    return applied();
  place_tasks();
  const auto of_scheduler = owner_key(w.scheduler);
  const auto locked = numbers_with(txn_, in_.locked, of_scheduler, of_scheduler, max);
  auto said = decide(w, locked,
                     [&](std::uint64_t number, const workflow::event& e) { return apply_to(number, e, w.now, false); });
  let_take_events(said.others);
  return said;
}

} // namespace steadfast::store
