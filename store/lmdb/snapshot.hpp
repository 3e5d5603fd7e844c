#pragma once

#include "store/lmdb/other_rows.hpp"
#include "store/lmdb/schema.hpp"
#include "store/outline/definition_cache.hpp"
#include "store/outline/task_outline.hpp"
#include "store/records/record.hpp"

#include <cstdint>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace steadfast::store {

/// Throws damaged_record when one is missing that a store of that format has.
tables open_all_tables(const lmdb::transaction& txn, std::uint32_t format = store_format);

/// Tasks that could not be believed, each told once.
class damage_log {
public:
  void report(std::uint64_t number, const std::string& why);
  void forget(std::uint64_t number); ///< it was set aside
  std::vector<set_aside_damaged> take();

private:
  std::mutex mutex_;
  std::set<std::uint64_t> known_;
  std::vector<set_aside_damaged> untold_;
};

/// A definition that is damaged or missing: its tasks are as they were as soon as it is there again.
class damaged_definition : public damaged_record {
public:
  using damaged_record::damaged_record;
};

/// What a transaction can see, as values; a write transaction sees its own writes. Throws damaged_record for what does
/// not check, lmdb::error when LMDB fails. REQUIRES: the transaction, and the other rows, outlive it.
class snapshot {
public:
  /// `cache` must only ever see what is committed: a write transaction brings one of its own. `also`: rows of tasks
  /// that count where the tables have none; null: there are no such.
  snapshot(const lmdb::transaction& txn, const tables& in, definition_cache& cache, const other_rows* also = nullptr)
      : txn_{txn},
        in_{in},
        cache_{cache},
        also_{also} {}

  /// Absent: there is no such definition.
  definition_cache::entry definition(const std::string& name, std::uint32_t version) const;
  std::optional<std::uint32_t> newest_version(const std::string& name) const;

  std::optional<task_ref> ref_of(const std::string& id) const;             ///< in table `ids`
  std::optional<task_ref> recent_ref(std::uint64_t number) const;          ///< in table `recent_ids`
  std::optional<std::uint64_t> recent_number(const std::string& id) const; ///< the same by a scan, for who has no index

  using known_task = store::known_task;                       ///< task and definition are both believed
  std::optional<known_task> task(std::uint64_t number) const; ///< payload and large results left out
  std::optional<known_task> whole_task(std::uint64_t number) const;
  /// Of its record in table `tasks`. Rows that are held take the place of those in the table.
  known_task task_in(std::uint64_t number, std::string_view row, const held_steps* held = nullptr) const;
  void complete(known_task& t) const; ///< adds payload and large results

  std::optional<lease_record> lease_of(const std::string& name) const;
  /// Those that can be read, each with its end by this clock.
  std::vector<lease> leases(const workflow::clock_reading& clock) const;

private:
  std::optional<std::string_view> value_of(lmdb::table t, std::string_view key) const;
  void add_steps(task_state& s, const workflow::definition& d, const held_steps& held) const;
  void add_payload(task_state& s) const;
  void add_large_results(task_state& s) const;

  const lmdb::transaction& txn_;
  const tables& in_;
  definition_cache& cache_;
  const other_rows* also_;
};

} // namespace steadfast::store
