// A change of a table is its kind, the table (by the place in all_tables, counted from 1), the length of the key, the
// key, and, but for an erasure, the length of what follows: the value, or the patch that makes it of the value before.
// A change of a task is its kind, the number, and length and bytes of the patch that makes the record of that before.

#include "store/journal/change_log.hpp"

#include "store/journal/migration.hpp"
#include "store/lmdb/indexes.hpp"
#include "store/lmdb/snapshot.hpp"
#include "store/records/compact.hpp"
#include "store/records/patch.hpp"

#include <algorithm>

namespace steadfast::store {

namespace {

enum change_kind : std::uint8_t { put_whole = 1, put_patched = 2, erased = 3, task_changed = 4 };

/// Shorter values are told whole.
constexpr std::size_t patched_from = 64;

std::uint64_t place_of(const tables& in, lmdb::table t) {
  const auto found = std::find_if(all_tables.begin(), all_tables.end(),
                                  [&](const table_entry& e) { return (in.*e.table).dbi == t.dbi; });
  return static_cast<std::uint64_t>(found - all_tables.begin()) + 1;
}

} // namespace

lmdb::table table_at(const tables& in, std::uint64_t place) {
  if (place < 1 || place > all_tables.size())
    throw damaged_record{"a change names a table that there is not"};
  return in.*all_tables.at(place - 1).table;
}

std::uint64_t place_of(lmdb::table tables::*table) {
  const auto found =
    std::find_if(all_tables.begin(), all_tables.end(), [&](const table_entry& e) { return e.table == table; });
  return static_cast<std::uint64_t>(found - all_tables.begin()) + 1;
}

void each_row_changed(std::string_view changes, const row_user& use) {
  compact_reader from{changes};
  while (from.left() > 0) {
    const auto kind = from.take();
    if (kind == task_changed) {
      use(place_of(&tables::tasks), key{from.take()});
    } else {
      const auto table = from.take();
      use(table, from.take_view(from.take()));
      if (kind == erased)
        continue;
    }
    from.take_view(from.take());
  }
}

void change_log::add(std::uint8_t what, lmdb::table t, std::string_view key) {
  compact_writer out{bytes_};
  out.put(what);
  out.put(place_of(in_, t));
  out.put(key.size());
  out.save_binary(key.data(), key.size());
}

void change_log::clear() {
  bytes_.clear();
  table_changes_ = bytes_put_ = 0;
}

void change_log::on_put(lmdb::table t, std::string_view key, std::string_view before, std::string_view value) {
  ++table_changes_;
  bytes_put_ += key.size() + value.size();
  if (before.size() < patched_from) {
    add(put_whole, t, key);
    compact_writer out{bytes_};
    out.put(value.size());
    out.save_binary(value.data(), value.size());
    return;
  }
  add(put_patched, t, key);
  add_patch(before, value);
}

void change_log::on_task(std::uint64_t number, std::string_view before, std::string_view row) {
  bytes_put_ += row.size();
  compact_writer out{bytes_};
  out.put(task_changed);
  out.put(number);
  add_patch(before, row);
}

void change_log::add_patch(std::string_view before, std::string_view after) {
  thread_local std::string patch;
  patch.clear();
  append_patch(patch, before, after);
  compact_writer out{bytes_};
  out.put(patch.size());
  out.save_binary(patch.data(), patch.size());
}

void change_log::on_erase(lmdb::table t, std::string_view key) {
  ++table_changes_;
  add(erased, t, key);
}

change_maker::change_maker(lmdb::transaction& txn, damaged_tasks* damaged)
    : txn_{txn},
      in_{open_all_tables(txn, format_of(txn).value_or(store_format))},
      damaged_{damaged} {}

void change_maker::make(std::string_view changes) {
  compact_reader from{changes};
  while (from.left() > 0) {
    const auto kind = from.take();
    if (kind == task_changed) {
      const auto number = from.take();
      change_task(number, from.take_view(from.take()));
      continue;
    }
    const auto t = table_at(in_, from.take());
    const auto key = from.take_view(from.take());
    std::uint64_t task = 0;
    if (t.dbi == in_.task_steps.dbi)
      remember(task = key_reader{key}.number<std::uint64_t>().value_or(0));
    if (kind == erased) {
      txn_.erase(t, key);
    } else if (kind == put_whole) {
      txn_.put(t, key, from.take_view(from.take()));
    } else if (kind == put_patched) {
      patch_row(t, key, from.take_view(from.take()), task);
    } else {
      throw damaged_record{"a change is of an unknown kind"};
    }
  }
}

void change_maker::change_task(std::uint64_t number, std::string_view patch) {
  remember(number);
  patch_row(in_.tasks, key{number}, patch, number);
}

/// A patch has the checksum of what it makes, so a damaged record that becomes one that checks is what it was.
void change_maker::patch_row(lmdb::table t, std::string_view key, std::string_view patch, std::uint64_t task) {
  const auto before = txn_.get(t, key);
  try {
    txn_.put(t, key, patched(before.value_or(std::string_view{}), patch));
  } catch (const damaged_record&) {
    if (!is_damaged(task))
      throw;
  }
}

/// Its record may be told before its steps or after them, and a task of many steps takes long to read: so each is read
/// before the first of its changes and after the last.
void change_maker::remember(std::uint64_t number) {
  if (const auto [at, is_new] = changed_.try_emplace(number); is_new)
    at->second = as_listed(number);
}

/// Likewise; a task that is damaged is in no list.
std::optional<change_maker::listed> change_maker::as_listed(std::uint64_t number) {
  try {
    auto known = as_stored(number);
    if (damaged_ != nullptr)
      damaged_->erase(number);
    return known;
  } catch (const damaged_record& e) {
    if (damaged_ == nullptr)
      throw;
    (*damaged_)[number] = e.what();
    return std::nullopt;
  }
}

std::optional<change_maker::listed> change_maker::as_stored(std::uint64_t number) {
  const auto known = snapshot{txn_, in_, definitions_}.task(number);
  return known ? std::optional{listed{known->state.task.workflow, kept_index_position{known->place()}}} : std::nullopt;
}

void change_maker::finish() {
  if (damaged_ != nullptr)
    for (const auto& [number, why] : *damaged_)
      changed_.try_emplace(number); // it may have been set aside
  for (const auto& [number, before] : changed_) {
    const auto now = as_listed(number);
    if (before && now)
      move_in_lists(txn_, in_, number, before->place.of(before->workflow), now->place.of(now->workflow));
    else if (before) // it left
      remove_from_indexes(txn_, in_, number, before->place.of(before->workflow));
    else if (now)
      add_to_lists(txn_, in_, number, now->place.of(now->workflow));
  }
}

} // namespace steadfast::store
