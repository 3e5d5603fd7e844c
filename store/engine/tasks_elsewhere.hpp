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

/// The tasks of a store that ended and have left its tables. A task is either in the tables or among these; one that
/// came back counts as it is in the tables, even if it is gone there. For any thread. All calls that read throw
/// store_error when it cannot be told.
class tasks_elsewhere {
public:
  virtual ~tasks_elsewhere() = default;

  /// Held by whoever reads these and then the tables: meanwhile no task leaves the tables, so none is missed.
  using guard = std::shared_lock<std::shared_mutex>;
  virtual guard hold() const = 0;

  /// Whether there may be one, as far as that can be told without asking.
  virtual bool may_have(const std::string& id) const = 0;
  virtual bool may_have(std::uint64_t number) const = 0;

  /// Tasks, the newest first, with their rows in the tables asked for.
  struct page {
    std::vector<rows_of_task> tasks;
    std::uint64_t down_to = 0; ///< there may be more below that number; 0: there are none
  };
  struct question {
    std::vector<workflow::process_state> states;    ///< empty: all
    std::optional<workflow::payload_value> payload; ///< that they have; with a state, they need not have that state
    std::uint64_t before = 0;                       ///< by number
    std::size_t most = 0;
    std::vector<std::uint64_t> of_tables;
  };
  virtual page newest(const question& q) const = 0;

  /// With all of its rows; absent: there is none.
  virtual std::optional<rows_of_task> find(std::uint64_t number) const = 0;
  virtual std::optional<rows_of_task> find(const std::string& id) const = 0;
};

/// How many tasks there are elsewhere.
struct elsewhere_counts {
  std::array<std::uint64_t, 8> tasks{};           ///< by process_state
  std::map<std::string, std::uint64_t> workflows; ///< by workflow
};

/// What was asked about tasks elsewhere before a batch is decided.
struct asked_elsewhere {
  std::set<std::string> ids;       ///< of tasks that are in the tables by now, or nowhere
  std::set<std::uint64_t> numbers; ///< likewise
  /// By workflow, in the order of their ends: those that a purge may look at, which are elsewhere and stay as long as
  /// their parents are there.
  std::map<std::string, std::vector<ended_task>> children;
  std::optional<elsewhere_counts> counts; ///< of a batch that may set a task aside
};

} // namespace steadfast::store
