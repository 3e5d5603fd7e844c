#pragma once

#include "store/journal/commit_log.hpp"
#include "store/lmdb/lmdb.hpp"
#include "store/lmdb/schema.hpp"
#include "store/lmdb/snapshot.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace steadfast::store {

/// The changes that a transaction makes to its tables, as bytes from which they can be made again. A value that
/// replaces another one is told by what is different.
class change_log final : public lmdb::change_listener {
public:
  explicit change_log(const tables& in) : in_{in} {}

  void on_put(lmdb::table t, std::string_view key, std::string_view before, std::string_view value) override;
  void on_erase(lmdb::table t, std::string_view key) override;

  /// The record of a task, whose other indexes than the queue are changed with it. `before`: empty when there is none.
  void on_task(std::uint64_t number, std::string_view before, std::string_view row);

  const std::string& bytes() const { return bytes_; }
  std::size_t table_changes() const { return table_changes_; } ///< those of tasks not among them
  std::size_t bytes_put() const { return bytes_put_; }         ///< into the tables: keys, values and records of tasks
  void clear();

private:
  void add(std::uint8_t what, lmdb::table t, std::string_view key);
  void add_patch(std::string_view before, std::string_view after);

  const tables& in_;
  std::string bytes_;
  std::size_t table_changes_ = 0;
  std::size_t bytes_put_ = 0;
};

/// The table by its place in all_tables, from 1.
using row_user = std::function<void(std::uint64_t table, std::string_view key)>;
/// Calls use(table, key) for each row that they change. Throws damaged_record.
void each_row_changed(std::string_view changes, const row_user& use);

/// Throws damaged_record when there is no such place.
lmdb::table table_at(const tables& in, std::uint64_t place);
/// By the column of `tables`.
std::uint64_t place_of(lmdb::table tables::*table);

/// Makes them again, in a transaction that outlives it, once all were told.
class change_maker {
public:
  /// `damaged`: known to be so, and brought up to date by finish(); such a task is in no list and keeps no other from
  /// being made. Null: it throws damaged_record. Throws that too when a table is missing.
  explicit change_maker(lmdb::transaction& txn, damaged_tasks* damaged = nullptr);

  /// Throws damaged_record for bytes that do not fit what is there.
  void make(std::string_view changes);
  /// Moves the tasks that changed to where they belong in the lists. Nothing is made after it. Throws likewise.
  void finish();

private:
  /// Where the lists have a task.
  struct listed {
    std::string workflow;
    kept_index_position place;
  };

  std::optional<listed> as_stored(std::uint64_t number);
  std::optional<listed> as_listed(std::uint64_t number);
  bool is_damaged(std::uint64_t number) const { return damaged_ != nullptr && damaged_->contains(number); }
  void patch_row(lmdb::table t, std::string_view key, std::string_view patch, std::uint64_t task);
  void remember(std::uint64_t number);
  void change_task(std::uint64_t number, std::string_view patch);

  lmdb::transaction& txn_;
  tables in_;
  damaged_tasks* damaged_;
  definition_cache definitions_;
  std::map<std::uint64_t, std::optional<listed>> changed_; ///< as the lists still have them; none: not at all
};

} // namespace steadfast::store
