#pragma once

#include "store/lmdb/lmdb.hpp"
#include "store/lmdb/schema.hpp"
#include "store/outline/task_outline.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace steadfast::store {

/// What the one writer knows of tasks, so that the next change of one reads nothing: of those that changed since the
/// data file was written, whose latest records are held here, and of those in flight. A task that goes through all of
/// its steps meanwhile is put into the tables once. Its queue (tables `ready` and `delayed`) is not held: claims look
/// there. Changed as a batch goes, and thrown away together with the transaction. Memory: what is held, and known_max
/// others, whose records have up to row_max bytes each.
class known_tasks {
public:
  struct entry {
    task_outline now;
    std::optional<kept_index_position> shown; ///< as the tables have it, but for the queue; none: not at all
    bool is_held = false;                     ///< the tables do not have it as it is now
    std::string row;    ///< its record as it is now; empty: it is not held, and what the tables have is not kept
    step_places places; ///< in `row`
    held_steps steps;   ///< rows of its steps that the tables do not have yet

    /// As it was submitted, payload included, if it has not changed since: who takes it need not read it. May be null.
    std::shared_ptr<const workflow::task> submitted;
  };

  /// Null: it is not known. Valid until the next call of place, forget or clear.
  entry* find(std::uint64_t number);

  /// One that was not known.
  entry& add_new(std::uint64_t number, task_outline now);
  /// One that the tables have, with its record.
  entry& add_read(std::uint64_t number, task_outline now, std::string_view row);

  /// REQUIRES: `steps` has those that changed with it.
  void hold(std::uint64_t number, entry& e, std::string_view row);
  /// Memory: submitted_max tasks with payloads of payload_max bytes, the others are not remembered.
  void remember(entry& e, std::shared_ptr<const workflow::task> submitted);

  std::size_t held() const { return held_.size(); } ///< tasks
  /// By whom claims go on. It is not stored: after a start, or a commit that failed, all have their turn again.
  group_turns& turns() { return turns_; }
  /// Puts what is held into the tables.
  void place(lmdb::transaction& txn, const tables& in);
  /// It has left the tables. REQUIRES: it is not held.
  void forget(std::uint64_t number);
  void clear();

private:
  static constexpr std::size_t known_max = 32'768;
  static constexpr std::size_t submitted_max = 4096;
  static constexpr std::size_t payload_max = 4096;
  static constexpr std::size_t row_max = 2048; ///< of a record that is kept though the tables have it

  std::unordered_map<std::uint64_t, entry> tasks_;
  std::vector<std::uint64_t> held_;
  std::size_t submitted_ = 0; ///< of them
  group_turns turns_;         ///< at most one of each workflow with a limit
};

} // namespace steadfast::store
