#pragma once

#include "simulation/run/ending.hpp"
#include "simulation/run/run.hpp"
#include "store/contract/state_store.hpp"
#include "workflow/definition/definition.hpp"
#include "workflow/task/task.hpp"

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>

namespace steadfast::simulation {

/// Checks at the end of a run that the tasks which steps started ended as these steps say (P46, P47). One thread.
class family_ending {
public:
  /// `alerted`: the numbers of the tasks with an open alert. What is broken goes to `result`.
  family_ending(const store::state_store& s, ending& ends, const std::set<std::uint64_t>& alerted, run_result& result)
      : store_{s},
        ending_{ends},
        alerted_{alerted},
        result_{result} {}

  /// Of the task, of these, and so on.
  void check_children_of(const workflow::task& t, const workflow::definition& d);

  /// How many were found.
  std::size_t children() const { return children_; }

private:
  void expect(bool holds, const std::string& sentence);
  void check_child(const workflow::task& t, const workflow::definition& d, std::size_t i);
  void check_items(const workflow::task& t, const workflow::definition& d, std::size_t i);
  void check_end_of(const workflow::task& child);

  const store::state_store& store_;
  ending& ending_;
  const std::set<std::uint64_t>& alerted_;
  run_result& result_;
  std::size_t children_ = 0;
};

} // namespace steadfast::simulation
