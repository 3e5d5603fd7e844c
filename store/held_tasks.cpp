#include "store/held_tasks.hpp"

#include "store/placement.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace steadfast::store {

std::optional<std::string_view> held_tasks::row_of(std::uint64_t number) const {
  const auto found = tasks_.find(number);
  return found == tasks_.end() ? std::nullopt : std::optional<std::string_view>{found->second.row};
}

void held_tasks::hold(std::uint64_t number, std::shared_ptr<const standing> before, std::shared_ptr<const standing> now,
                      std::string_view row) {
  const auto [at, is_new] = tasks_.try_emplace(number);
  auto& e = at->second;
  if (is_new)
    e.shown = std::move(before);
  e.now = std::move(now);
  e.row = row;
  forget_submitted(e);
}

held_tasks::submission held_tasks::submitted(std::uint64_t number) const {
  const auto found = tasks_.find(number);
  return found == tasks_.end() || !found->second.submitted ? submission{}
                                                           : submission{found->second.submitted, found->second.now};
}

void held_tasks::remember(std::shared_ptr<const workflow::task> submitted) {
  if (submitted_ == submitted_max || submitted->payload.size() > payload_max)
    return;
  ++submitted_;
  tasks_.at(submitted->number).submitted = std::move(submitted);
}

void held_tasks::forget_submitted(entry& e) {
  if (std::exchange(e.submitted, nullptr))
    --submitted_;
}

/// In the order of the table.
void held_tasks::place(lmdb::transaction& txn, const tables& in) {
  std::vector<decltype(tasks_)::const_pointer> all;
  all.reserve(tasks_.size());
  for (const auto& t : tasks_)
    all.push_back(&t);
  std::sort(all.begin(), all.end(), [](const auto* a, const auto* b) { return a->first < b->first; });
  for (const auto* t : all) {
    const auto& [number, e] = *t;
    if (e.shown) {
      txn.put(in.tasks, key{number}, e.row);
      move_in_lists(txn, in, number, e.shown->placed(), e.now->placed());
    } else {
      txn.append(in.tasks, key{number}, e.row);
      add_to_lists(txn, in, number, e.now->placed());
    }
  }
  clear();
}

void held_tasks::clear() {
  tasks_.clear();
  submitted_ = 0;
}

} // namespace steadfast::store
