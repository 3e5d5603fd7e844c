#include "store/held_tasks.hpp"

#include "store/placement.hpp"

#include <utility>

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
}

void held_tasks::place(lmdb::transaction& txn, const tables& in) {
  for (const auto& [number, e] : tasks_) {
    if (e.shown) {
      txn.put(in.tasks, key{number}, e.row);
      move_in_lists(txn, in, number, e.shown->placed(), e.now->placed());
    } else {
      txn.append(in.tasks, key{number}, e.row);
      add_to_lists(txn, in, number, e.now->placed());
    }
  }
  tasks_.clear();
}

} // namespace steadfast::store
