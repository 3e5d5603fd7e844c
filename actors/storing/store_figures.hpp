#pragma once

#include "actors/common/figures.hpp"
#include "store/contract/write.hpp"

#include <cstddef>
#include <cstdint>

namespace steadfast::actors {

/// What a store actor has written since it began.
struct store_figures {
  static constexpr std::size_t names_max = 200;

  /// Of one workflow.
  struct of_workflow {
    counter submitted;
    counter processed;
    counter undone;
    counter error; ///< a task that a person reopens may end once more
  };

  histogram commit_times{disk_times}; ///< in microseconds, from the beginning of the commit until it is durable
  histogram commit_sizes{batch_sizes};
  counter created;       ///< this and the next three: submissions, by what became of them
  counter already_there; ///< the same task was submitted before
  counter pushed_back;   ///< the store was full, or too many waited
  counter refused;
  figures_by_name<of_workflow, names_max> workflows;
  figures_by_name<counter, names_max> leases; ///< how often each was acquired

  void count(const store::write& w, const store::outcome& o);
  void count_commit(std::size_t size, std::int64_t took_us);

private:
  void count(const store::submit_task& w, const store::outcome& o);
};

} // namespace steadfast::actors
