#pragma once

#include "store/contract/state_store.hpp"
#include "workflow/task/task.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace steadfast::store {

/// A task came into a state, left it, or both.
struct task_move {
  std::uint64_t number = 0;
  std::string workflow;
  std::optional<workflow::process_state> from; ///< none: the task is new
  std::optional<workflow::process_state> to;   ///< none: it has left the store
};

/// How many tasks of each workflow are unfinished, by state. No record has these figures: to store them would cost each
/// commit a row. Those who make tasks and change them note it; the tasks that were there before are counted part by
/// part by those who ask, each part in a snapshot of its own, beside the writer. For any thread.
class unfinished_tasks {
public:
  using counts = decltype(store_counts::unfinished)::value_type; ///< by workflow and state

  /// Forgets what was counted. `last_task`: the tasks up to that number are there already.
  void begin_again(std::uint64_t last_task);

  /// What one transaction did, once it counts. Every snapshot shows it whose transaction is that one, or a later one.
  void note(const std::vector<task_move>& moves, std::uint64_t transaction);

  /// Tasks to be counted, in a snapshot that begins after this was asked for and shows all that was noted until then.
  struct part {
    std::uint64_t after = 0;
    std::uint64_t last = 0;
    std::uint64_t turn = 0; ///< how often it was begun again before
  };
  /// Nothing: there is none, or somebody is at it.
  std::optional<part> begin_part();
  /// It need not be counted to its end.
  struct counted_part {
    std::uint64_t until = 0;       ///< the last task that was looked at
    std::uint64_t transaction = 0; ///< whose state the snapshot shows; 0: all that was noted until now, and no more
    counts found;
  };
  void end_part(const part& p, const counted_part& c);
  /// It was not counted.
  void drop_part(const part& p);

  /// Of each workflow that had one since this began. Nothing: some are still to be counted.
  std::optional<counts> now() const;

private:
  static constexpr std::size_t states = 8;
  struct snapshot_of_part {
    std::uint64_t until = 0;
    std::uint64_t transaction = 0;
  };
  struct later_move {
    task_move what;
    std::uint64_t transaction = 0;
  };

  bool is_shown_already(std::uint64_t number, std::uint64_t transaction) const;
  void count(const task_move& m);

  mutable std::mutex mutex_;
  std::map<std::string, std::array<std::int64_t, states>, std::less<>> counts_;
  std::uint64_t counted_ = 0; ///< up to that number
  std::uint64_t last_ = 0;    ///< of those that were there before
  std::vector<snapshot_of_part> parts_;
  std::uint64_t newest_snapshot_ = 0; ///< of those parts
  std::uint64_t turn_ = 0;
  bool is_part_under_way_ = false;
  std::vector<later_move> meanwhile_; ///< of tasks that the part under way, or a later one, looks at
};

} // namespace steadfast::store
