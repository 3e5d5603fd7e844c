#include "store/recent_ids.hpp"

#include "store/record.hpp"
#include "store/state_store.hpp"
#include "workflow/mutant.hpp"

#include <iterator>
#include <mutex>

namespace steadfast::store {

namespace {

/// The task knows its id, too, should this row be damaged.
std::string id_in(const lmdb::transaction& txn, const tables& in, std::string_view key, std::string_view row) {
  if (auto read = readable<recent_id>(key, row))
    return std::move(read->id);
  if (auto task = readable<task_state>(key, txn.get(in.tasks, key).value_or(std::string_view{})))
    return std::move(task->task.id);
  throw store_error{"the id of task " + std::to_string(last_number(key))
                      + " cannot be told, two of its records are damaged: restore a copy of the store",
                    false};
}

} // namespace

void recent_ids::load(const lmdb::transaction& txn, const tables& in, std::uint64_t last_task) {
  if (workflow::mutant("recent_ids_forgotten"))
    return;
  lmdb::cursor c{txn, in.recent_ids};
  for (bool more = c.first(); more; more = c.next())
    gathering_.emplace(id_in(txn, in, c.key(), c.value()), last_number(c.key()));
  begin_to_move(last_task);
}

std::optional<std::uint64_t> recent_ids::find(const std::string& id) const {
  const std::shared_lock lock{mutex_};
  for (const auto* generation : {&gathering_, &moving_})
    if (const auto found = generation->find(id); found != generation->end())
      return found->second;
  return std::nullopt;
}

void recent_ids::take_over(const changes& committed, std::uint64_t last_task) {
  const std::unique_lock lock{mutex_};
  moving_.erase(moving_.begin(), std::next(moving_.begin(), static_cast<std::ptrdiff_t>(committed.moved)));
  for (const auto& [id, number] : committed.ids) {
    if (number) {
      gathering_.insert_or_assign(id, *number);
    } else {
      gathering_.erase(id);
      moving_.erase(id);
    }
  }
  if (committed.has_dropped_all)
    until_ = 0;
  begin_to_move(last_task);
}

void recent_ids::begin_to_move(std::uint64_t last_task) {
  if (until_ != 0 || gathering_.size() < generation_size_)
    return;
  moving_.swap(gathering_);
  until_ = last_task;
}

} // namespace steadfast::store
