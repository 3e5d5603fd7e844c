#pragma once

#include "store/contract/state_store.hpp"
#include "workflow/time/time.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace steadfast::actors {

class state_value;

/// How many tasks of each workflow a scheduler has: those in flight, and those that it gave back because no agent takes
/// them, until they are due again.
class place_book {
public:
  void take(const std::string& workflow);
  void leave(const std::string& workflow);
  void give_back(const std::string& workflow, workflow::instant until);

  /// Forgets those that are due by now.
  std::vector<store::workflow_load> loads(workflow::instant now);
  const std::string& last_taken() const { return last_taken_; } ///< a workflow
  /// As it is shown to people who inspect the scheduler.
  state_value tree(std::size_t listed_max) const;

private:
  struct share {
    std::uint64_t in_flight = 0;
    std::multiset<workflow::instant> given_back; ///< when they are due
  };

  std::map<std::string, share, std::less<>> shares_;
  std::string last_taken_;
};

} // namespace steadfast::actors
