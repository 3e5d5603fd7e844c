#pragma once

#include "store/lmdb/lmdb.hpp"
#include "workflow/task/partition.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <vector>

namespace steadfast::store {

/// One step from a store format to the next. It is run in a transaction of its own, at open, and the format is raised
/// in the same transaction: a process killed in the middle finds the older format again.
struct migration {
  std::uint32_t from = 0; ///< makes format `from + 1`
  std::function<void(lmdb::transaction&)> run;
};

/// Every step there ever was, in order. Steps are never removed.
std::vector<migration> all_migrations();

/// Throws store_error when the store is newer than `format`, and with `exactly` also when it is older.
void expect_format(const lmdb::transaction& txn, std::uint32_t format, bool exactly);

/// Brings the store to `format`. Throws store_error when no step leads there.
void migrate(lmdb::environment& env, std::uint32_t format, const std::vector<migration>& steps);

/// Absent: the file holds no store yet.
std::optional<std::uint32_t> format_of(const lmdb::transaction& txn);
void set_format(lmdb::transaction& txn, std::uint32_t format);

/// Of a new store.
void put_partition(lmdb::transaction& txn, const workflow::partition& is);

/// What the store was made as. Throws damaged_record.
workflow::partition partition_in(const lmdb::transaction& txn);

/// Throws store_error if the store was made as another partition: its numbers would meet those of others.
void expect_partition(const lmdb::transaction& txn, const workflow::partition& wanted,
                      const std::filesystem::path& path);

} // namespace steadfast::store
