#include "store/lmdb/recent_ids.hpp"

#include "store/contract/state_store.hpp"
#include "store/records/record.hpp"

#include <algorithm>
#include <mutex>

namespace steadfast::store {

namespace {

constexpr std::size_t run_size = 4096; ///< sorted within a millisecond

void sort(ids_in_order::run& r) {
  std::sort(r.begin(), r.end(), [](const auto* a, const auto* b) { return a->first < b->first; });
}

constexpr auto begins_later = [](const auto& a, const auto& b) { return a.front()->first > b.front()->first; };

/// The task knows its id, too, should this row be damaged.
std::pair<std::string, recent_ref> read_row(const lmdb::transaction& txn, const tables& in, std::string_view key,
                                            std::string_view row) {
  const auto number = last_number(key);
  if (auto read = readable<recent_id>(key, row))
    return {std::move(read->id), {number, read->digest}};
  if (auto task = readable<task_state>(key, txn.get(in.tasks, key).value_or(std::string_view{})))
    return {std::move(task->task.id), {number, std::nullopt}};
  throw store_error{"the id of task " + std::to_string(number)
                      + " is unknown, two of its records are damaged: restore a copy of the store",
                    false};
}

} // namespace

// ---- ids_in_order ----

ids_in_order::ids_in_order(const std::vector<run>& sorted) : runs_{sorted.begin(), sorted.end()} {
  std::make_heap(runs_.begin(), runs_.end(), begins_later);
}

void ids_in_order::pop_first() {
  std::pop_heap(runs_.begin(), runs_.end(), begins_later);
  auto& r = runs_.back();
  r = r.subspan(1);
  if (r.empty())
    runs_.pop_back();
  else
    std::push_heap(runs_.begin(), runs_.end(), begins_later);
}

// ---- recent_ids ----

void recent_ids::load(const lmdb::transaction& txn, const tables& in, std::uint64_t last_task) {
  lmdb::cursor c{txn, in.recent_ids};
  for (bool more = c.first(); more; more = c.next()) {
    const auto [id, ref] = read_row(txn, in, c.key(), c.value());
    gather(id, ref);
  }
  begin_to_move(last_task);
}

void recent_ids::replace(recent_ids& other) {
  const std::unique_lock lock{mutex_};
  collecting_ = std::exchange(other.collecting_, {});
  collected_ = std::exchange(other.collected_, {});
  moving_ = std::exchange(other.moving_, {});
  sorted_ = std::exchange(other.sorted_, {});
  left_ = std::exchange(other.left_, {});
  until_ = std::exchange(other.until_, 0);
}

std::optional<std::uint64_t> recent_ids::find(const std::string& id) const {
  const std::shared_lock lock{mutex_};
  for (const auto* generation : {&collecting_, &moving_})
    if (const auto found = generation->find(id); found != generation->end() && found->second.number != 0)
      return found->second.number;
  return std::nullopt;
}

void recent_ids::take_over(const changes& committed, std::uint64_t last_task) {
  const std::unique_lock lock{mutex_};
  if (!committed.moved.empty())
    left_ = committed.left;
  for (const auto* e : committed.moved)
    moving_.erase(moving_.find(e->first));
  for (const auto& id : committed.gone)
    for (auto* generation : {&collecting_, &moving_})
      if (const auto found = generation->find(id); found != generation->end())
        found->second.number = 0;
  for (const auto& [id, ref] : committed.ids)
    if (ref.number != 0)
      gather(id, ref);
  if (committed.has_dropped_all)
    until_ = 0;
  begin_to_move(last_task);
}

void recent_ids::gather(const std::string& id, const recent_ref& ref) {
  const auto [at, is_new] = collecting_.insert_or_assign(id, ref);
  if (!is_new)
    return;
  if (collected_.empty() || collected_.back().size() == run_size)
    collected_.emplace_back();
  auto& r = collected_.back();
  r.push_back(&*at);
  if (r.size() == run_size)
    sort(r);
}

void recent_ids::begin_to_move(std::uint64_t last_task) {
  if (until_ != 0 || collecting_.size() < generation_size_)
    return;
  sort(collected_.back());
  moving_.swap(collecting_);
  sorted_ = std::exchange(collected_, {});
  left_ = ids_in_order{sorted_};
  until_ = last_task;
}

} // namespace steadfast::store
