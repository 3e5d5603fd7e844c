#include "store/outline/unfinished_tasks.hpp"

#include <algorithm>

namespace steadfast::store {

void unfinished_tasks::begin_again(std::uint64_t last_task) {
  const std::lock_guard lock{mutex_};
  counts_.clear();
  counted_ = 0;
  last_ = last_task;
  parts_.clear();
  newest_snapshot_ = 0;
  ++turn_;
  is_part_under_way_ = false;
  meanwhile_.clear();
}

void unfinished_tasks::note(const std::vector<task_move>& moves, std::uint64_t transaction) {
  if (moves.empty())
    return;
  const std::lock_guard lock{mutex_};
  for (const auto& m : moves) {
    if (m.number > last_ || (m.number <= counted_ && !is_shown_already(m.number, transaction)))
      count(m);
    else if (m.number > counted_ && is_part_under_way_)
      meanwhile_.push_back({m, transaction});
  }
}

/// A snapshot can be taken after a commit and before that is noted.
bool unfinished_tasks::is_shown_already(std::uint64_t number, std::uint64_t transaction) const {
  if (transaction > newest_snapshot_)
    return false;
  const auto of_task = std::lower_bound(parts_.begin(), parts_.end(), number,
                                        [](const snapshot_of_part& p, std::uint64_t n) { return p.until < n; });
  return of_task != parts_.end() && transaction <= of_task->transaction;
}

void unfinished_tasks::count(const task_move& m) {
  auto of = counts_.find(m.workflow);
  if (of == counts_.end())
    of = counts_.try_emplace(m.workflow).first;
  if (m.from && workflow::is_unfinished(*m.from))
    --of->second.at(static_cast<std::size_t>(*m.from));
  if (m.to && workflow::is_unfinished(*m.to))
    ++of->second.at(static_cast<std::size_t>(*m.to));
}

std::optional<unfinished_tasks::part> unfinished_tasks::begin_part() {
  const std::lock_guard lock{mutex_};
  if (counted_ >= last_ || is_part_under_way_)
    return std::nullopt;
  is_part_under_way_ = true;
  return part{counted_, last_, turn_};
}

void unfinished_tasks::end_part(const part& p, const counted_part& c) {
  const std::lock_guard lock{mutex_};
  if (p.turn != turn_)
    return;
  for (const auto& [name, by_state] : c.found) {
    auto& of = counts_[name];
    for (const auto& [state, n] : by_state)
      of.at(static_cast<std::size_t>(state)) += static_cast<std::int64_t>(n);
  }
  counted_ = c.until;
  parts_.push_back({c.until, c.transaction});
  newest_snapshot_ = std::max(newest_snapshot_, c.transaction);
  is_part_under_way_ = false;
  for (const auto& [what, transaction] : meanwhile_) // of the others a later part shows it
    if (what.number <= counted_ && transaction > c.transaction)
      count(what);
  meanwhile_.clear();
}

void unfinished_tasks::drop_part(const part& p) {
  const std::lock_guard lock{mutex_};
  if (p.turn != turn_)
    return;
  is_part_under_way_ = false;
  meanwhile_.clear();
}

std::optional<unfinished_tasks::counts> unfinished_tasks::now() const {
  const std::lock_guard lock{mutex_};
  if (counted_ < last_)
    return std::nullopt;
  counts all;
  for (const auto& [name, by_state] : counts_)
    for (std::size_t i = 1; i < by_state.size(); ++i)
      if (const auto state = static_cast<workflow::process_state>(i); workflow::is_unfinished(state))
        all[name][state] = static_cast<std::uint64_t>(std::max<std::int64_t>(by_state[i], 0));
  return all;
}

} // namespace steadfast::store
