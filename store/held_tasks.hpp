#pragma once

#include "store/lmdb.hpp"
#include "store/schema.hpp"
#include "store/standing.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace steadfast::store {

/// Tasks that changed since the data file was written: the latest record of each. A task that goes through all of its steps
/// meanwhile is put into the tables once. Its queue (tables `ready` and `delayed`) is not held: claims look there.
class held_tasks {
public:
  /// Absent: it is not held.
  std::optional<std::string_view> row_of(std::uint64_t number) const;

  /// `before`: as it was until now; null: there was no such task.
  void hold(std::uint64_t number, std::shared_ptr<const standing> before, std::shared_ptr<const standing> now,
            std::string_view row);
  /// Puts them into the tables.
  void place(lmdb::transaction& txn, const tables& in);
  void clear() { tasks_.clear(); }

private:
  struct entry {
    std::shared_ptr<const standing> shown; ///< as the tables have it; null: not at all
    std::shared_ptr<const standing> now;
    std::string row;
  };
  std::map<std::uint64_t, entry> tasks_; ///< in the order of the table
};

} // namespace steadfast::store
