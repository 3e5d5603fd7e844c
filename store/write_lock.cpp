// Schedulers take tasks and lose them again.

#include "store/waiting_line.hpp"
#include "store/write_batch.hpp"

#include "workflow/transition/transition.hpp"

#include <algorithm>
#include <memory>
#include <utility>

namespace steadfast::store {

namespace {

// Of one write, whatever it asks for; the rest is there for the next one.
constexpr std::size_t taken_max = 10'000;
constexpr std::size_t promoted_max = 10'000;
constexpr std::size_t passed_over_max = 1000; ///< damaged ones wait here until they are set aside

/// The task numbers at the end of the keys that begin with `prefix`, in key order.
std::vector<std::uint64_t> numbers_in(const lmdb::transaction& txn, lmdb::table t, std::string_view prefix,
                                      std::size_t max) {
  std::vector<std::uint64_t> numbers;
  lmdb::cursor c{txn, t};
  for (bool more = c.seek(prefix); more && numbers.size() < max && c.key().starts_with(prefix); more = c.next())
    numbers.push_back(last_number(c.key()));
  return numbers;
}

} // namespace

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
      there = &settings_.known->add_read(number, standing_of(*stored), *row);
    auto change = workflow::apply(submitted ? *submitted : stored->state.task, *there->now.definition, e, clock);
    if (change.result != workflow::verdict::applied)
      return std::nullopt;
    change.next.revision = replace(*there, change.next, {change.notices, change.alerts});
    return std::move(change.next);
  } catch (const damaged_record&) { // reported by read(); the others go on
    return std::nullopt;
  }
}

answer<claim_tasks> write_batch::make(const claim_tasks& w) {
  if (w.scheduler.empty() || w.scheduler.size() > workflow::task_id_size_max)
    return turned_down(verdict::refused, "scheduler must have 1 to 128 bytes");
  if (auto lost = not_held(w.guard, w.now.now))
    return *std::move(lost);
  promote_due(txn_, in_, w.now.now, promoted_max);

  answer<claim_tasks> o = applied();
  const std::size_t max = std::min(w.max, taken_max);
  waiting_line line{txn_, in_.ready, w, max};
  std::size_t passed_over = 0;
  const auto is_left = [&] { return txn_.entries(in_.ready) > passed_over; };
  while (o.tasks.size() < max && is_left() && passed_over < passed_over_max) {
    const auto number = line.next();
    if (!number)
      break;
    auto taken = apply_to(*number, workflow::taken{w.scheduler}, w.now, true);
    if (!taken)
      ++passed_over;
    else if (taken->locked_by == w.scheduler) // else it ended instead: too many schedulers were lost over it
      o.tasks.push_back(std::move(*taken));
  }
  o.more = is_left();
  lmdb::cursor later{txn_, in_.delayed};
  if (later.first())
    o.next = key_reader{later.key()}.instant().value_or(workflow::never);
  o.more = o.more || o.next <= w.now.now;
  return o;
}

answer<free_locks> write_batch::make(const free_locks& w) {
  if (auto lost = not_held(w.guard, w.now.now))
    return *std::move(lost);
  if (w.gone && !has_ended(*w.gone, w.now.now))
    return turned_down(verdict::stale_epoch, "the lease " + w.gone->name + " is held");
  answer<free_locks> o = applied();
  const std::size_t max = std::min(w.max, taken_max);
  if (w.scheduler.empty() || w.scheduler.size() > workflow::task_id_size_max)
    return o;
  const workflow::event e = w.graceful ? workflow::event{workflow::lock_released{}} : workflow::lock_lapsed{};
  const auto kept = [&](std::uint64_t number) { return std::binary_search(w.except.begin(), w.except.end(), number); };
  place_tasks();
  const auto looked_at = max + w.except.size() + passed_over_max;
  for (const auto number : numbers_in(txn_, in_.locked, owner_key(w.scheduler), looked_at)) {
    if (o.freed == max) {
      o.more = true;
      break;
    }
    if (!kept(number) && apply_to(number, e, w.now, false))
      ++o.freed;
  }
  return o;
}

} // namespace steadfast::store
