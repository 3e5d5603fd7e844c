#include "store/lmdb/known_tasks.hpp"

#include "store/lmdb/indexes.hpp"

#include <algorithm>
#include <utility>

namespace steadfast::store {

namespace {

/// A scheduler has it and will change it soon. One that waits may wait for long.
bool is_in_hand(const task_outline& s) {
  return !s.placed().locked_by.empty();
}

} // namespace

known_tasks::entry* known_tasks::find(std::uint64_t number) {
  const auto found = tasks_.find(number);
  return found == tasks_.end() ? nullptr : &found->second;
}

known_tasks::entry& known_tasks::add_new(std::uint64_t number, task_outline now) {
  auto& e = tasks_[number];
  e.now = std::move(now);
  return e;
}

known_tasks::entry& known_tasks::add_read(std::uint64_t number, task_outline now, std::string_view row) {
  auto& e = add_new(number, std::move(now));
  e.shown = e.now.place;
  if (row.size() <= row_max)
    e.row = row;
  return e;
}

void known_tasks::hold(std::uint64_t number, entry& e, std::string_view row) {
  if (!std::exchange(e.is_held, true))
    held_.push_back(number);
  e.row = row;
  if (std::exchange(e.submitted, nullptr))
    --submitted_;
}

void known_tasks::remember(entry& e, std::shared_ptr<const workflow::task> submitted) {
  if (submitted_ == submitted_max || submitted->payload.size() > payload_max)
    return;
  ++submitted_;
  e.submitted = std::move(submitted);
}

/// In the order of the table.
void known_tasks::place(lmdb::transaction& txn, const tables& in) {
  std::sort(held_.begin(), held_.end());
  for (const auto number : held_) {
    const auto found = tasks_.find(number);
    auto& e = found->second;
    const auto now = e.now.placed();
    for (const auto& [first, written] : e.steps)
      txn.put(in.task_steps, key{number, first}, written.row);
    e.steps.clear();
    if (e.shown) {
      txn.put(in.tasks, key{number}, e.row);
      move_in_lists(txn, in, number, e.shown->of(e.now.workflow), now);
    } else {
      txn.append(in.tasks, key{number}, e.row);
      add_to_lists(txn, in, number, now);
    }
    if (is_in_hand(e.now)) {
      e.shown = e.now.place;
      e.is_held = false;
      if (e.row.size() > row_max)
        e.row = {};
    } else {
      tasks_.erase(found);
    }
  }
  held_.clear();
  submitted_ = 0; // those wait
  if (tasks_.size() > known_max)
    tasks_.clear();
}

void known_tasks::forget(std::uint64_t number) {
  tasks_.erase(number);
}

void known_tasks::clear() {
  tasks_.clear();
  held_.clear();
  submitted_ = 0;
  turns_.clear();
}

} // namespace steadfast::store
