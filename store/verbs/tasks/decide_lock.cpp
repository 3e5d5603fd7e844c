#include "store/verbs/tasks/decide_lock.hpp"

#include <algorithm>
#include <utility>

namespace steadfast::store {

namespace {

// Of one write, whatever it asks for; the rest is there for the next one.
constexpr std::size_t taken_max = 10'000;
constexpr std::size_t passed_over_max = 1000; ///< damaged ones wait here until they are set aside

bool is_scheduler(const std::string& name) {
  return !name.empty() && name.size() <= workflow::task_id_size_max;
}

} // namespace

std::optional<decision> problem_of(const claim_tasks& w) {
  if (!is_scheduler(w.scheduler))
    return turned_down(write_status::refused, "scheduler must have 1 to 128 bytes");
  return std::nullopt;
}

answer<claim_tasks> decide(const claim_tasks& w, const waiting_tasks& waiting, group_turns& turns,
                           const event_applier& apply) {
  answer<claim_tasks> o = applied();
  const std::size_t max = std::min(w.max, taken_max);
  waiting_line line{waiting, w, max, turns};
  std::size_t passed_over = 0;
  const auto is_left = [&] { return waiting.count() > passed_over; };
  while (o.tasks.size() < max && is_left() && passed_over < passed_over_max) {
    const auto number = line.next();
    if (!number)
      break;
    auto taken = apply(*number, workflow::taken{w.scheduler});
    if (!taken)
      ++passed_over;
    else if (taken->locked_by == w.scheduler)
      o.tasks.push_back(std::move(*taken));
    else // it only waits from now on, or has ended: no scheduler has it
      o.others.numbers.push_back(taken->number);
  }
  o.next = waiting.next_due();
  o.more = is_left() || o.next <= w.now.now;
  return o;
}

void follow(answer<claim_tasks>& said, const claim_tasks& w, claim_wake wake) {
  for (auto& [number, t] : wake.after) {
    const auto has_number = [n = number](const workflow::task& x) { return x.number == n; };
    const auto found = std::find_if(said.tasks.begin(), said.tasks.end(), has_number);
    if (found != said.tasks.end())
      *found = std::move(t);
    else
      note(t, said.others);
    said.next = w.now.now; // or the task may be taken now
  }
  std::erase_if(said.tasks, [&](const workflow::task& t) {
    if (t.locked_by != w.scheduler)
      note(t, said.others);
    return t.locked_by != w.scheduler;
  });
  if (wake.before.more)
    said.next = w.now.now; // at once, though no task may have been taken
  const auto& others = wake.before.others;
  said.others.numbers.insert(said.others.numbers.end(), others.numbers.begin(), others.numbers.end());
  said.others.locked.insert(said.others.locked.end(), others.locked.begin(), others.locked.end());
}

std::size_t looked_at_max(const free_locks& w) {
  return is_scheduler(w.scheduler) ? std::min(w.max, taken_max) + w.except.size() + passed_over_max : 0;
}

answer<free_locks> decide(const free_locks& w, const std::vector<std::uint64_t>& locked, const event_applier& apply) {
  answer<free_locks> o = applied();
  const auto max = std::min(w.max, taken_max);
  const workflow::event e = w.graceful ? workflow::event{workflow::lock_released{}} : workflow::lock_lapsed{};
  const auto is_kept = [&](std::uint64_t number) {
    return std::binary_search(w.except.begin(), w.except.end(), number);
  };
  for (const auto number : locked) {
    if (o.freed == max) {
      o.more = true;
      break;
    }
    if (!is_kept(number) && apply(number, e))
      ++o.freed;
  }
  return o;
}

} // namespace steadfast::store
