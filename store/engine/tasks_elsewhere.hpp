#pragma once

#include "store/engine/leaving.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <shared_mutex>
#include <string>
#include <vector>

namespace steadfast::store {

/// The tasks of a store that ended and have left its tables. A task is either in the tables or among these. One that
/// came back counts as in the tables, even if it has been removed from them since. For any thread. All calls that read
/// throw store_error if the answer cannot be found out.
class tasks_elsewhere {
public:
  virtual ~tasks_elsewhere() = default;

  /// Held by whoever reads these tasks and then the tables: meanwhile no task leaves the tables, so none is missed.
  using guard = std::shared_lock<std::shared_mutex>;
  virtual guard hold() const = 0;

  /// Whether there may be such a task, as far as that is known without asking the server.
  virtual bool may_have(const std::string& id) const = 0;
  virtual bool may_have(std::uint64_t number) const = 0;

  /// Tasks, the newest first, each with its rows in the tables that were asked for.
  struct page {
    std::vector<rows_of_task> tasks;
    std::uint64_t down_to = 0; ///< there may be more below that number; 0: there are none
  };
  struct question {
    std::vector<workflow::process_state> states;    ///< empty: all
    std::optional<workflow::payload_value> payload; ///< value that they have; if it is set, `states` may be ignored
    std::uint64_t before = 0;                       ///< only tasks with a lower number
    std::size_t most = 0;
    std::vector<std::uint64_t> of_tables;
  };
  virtual page newest(const question& q) const = 0;

  /// The task with all of its rows; absent: it is not there.
  virtual std::optional<rows_of_task> find(std::uint64_t number) const = 0;
  virtual std::optional<rows_of_task> find(const std::string& id) const = 0;
};

/// How many tasks there are elsewhere.
struct elsewhere_counts {
  std::array<std::uint64_t, 8> tasks{};           ///< by process_state
  std::map<std::string, std::uint64_t> workflows; ///< by workflow
};

/// What was found out about tasks elsewhere before a batch is decided.
struct asked_elsewhere {
  std::set<std::string> ids;       ///< of tasks that are now in the tables, or nowhere
  std::set<std::uint64_t> numbers; ///< of tasks that are now in the tables, or nowhere
  /// By workflow, in the order of their ends: tasks elsewhere that a purge may look at, and that stay there as long as
  /// their parents are in the tables.
  std::map<std::string, std::vector<ended_task>> children;
  std::optional<elsewhere_counts> counts; ///< for a batch that may set a task aside
};

} // namespace steadfast::store
