#pragma once

#include "actors/protocol/store_messages.hpp"
#include "store/contract/write.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace steadfast::actors {

/// What a commit has to tell those who wait for news of the store.
struct commit_news {
  store_news news;                                         ///< for all of them, without `changed`
  std::map<std::string, std::vector<std::uint64_t>> taken; ///< numbers of changed tasks, by the scheduler that has them
  std::vector<std::uint64_t> changed;                      ///< numbers of all tasks that changed, as far as is known
  bool is_any_changed = false;                             ///< other tasks may have changed, and it is not known which
  bool is_in_doubt = false;                                ///< it is not known whether the commit was made
  std::vector<std::uint64_t> in_doubt;                     ///< tasks that it changed if it was made, as far as is known
};

/// Adds what a write of the commit has to tell. `holder`: the scheduler that should hear of it; may be empty.
void add_news(commit_news& to, const store::write& w, const std::string& holder, const store::outcome& o);
/// For a commit that was in doubt until now: adds what it may have to tell.
void add_found(commit_news& to, const std::vector<std::uint64_t>& in_doubt);

} // namespace steadfast::actors
