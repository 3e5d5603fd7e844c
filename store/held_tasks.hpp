#pragma once

#include "store/lmdb.hpp"
#include "store/schema.hpp"
#include "store/standing.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

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

  /// A task that was submitted and has not changed since, payload included: who takes it need not read it.
  struct submission {
    std::shared_ptr<const workflow::task> task; ///< null: it is not known
    std::shared_ptr<const standing> now;
  };
  submission submitted(std::uint64_t number) const;
  /// It is held. Memory: submitted_max tasks with payloads of payload_max bytes, the others are not remembered.
  void remember(std::shared_ptr<const workflow::task> submitted);

  /// Puts them into the tables.
  void place(lmdb::transaction& txn, const tables& in);
  void clear();

private:
  static constexpr std::size_t submitted_max = 4096;
  static constexpr std::size_t payload_max = 4096;

  struct entry {
    std::shared_ptr<const standing> shown; ///< as the tables have it; null: not at all
    std::shared_ptr<const standing> now;
    std::string row;
    std::shared_ptr<const workflow::task> submitted;
  };
  void forget_submitted(entry& e);

  std::unordered_map<std::uint64_t, entry> tasks_;
  std::size_t submitted_ = 0; ///< of them
};

} // namespace steadfast::store
