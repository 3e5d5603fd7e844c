#pragma once

#include <string>
#include <vector>

namespace steadfast::workflow {

/// A node that may have the store, as another node sees it.
struct store_candidate {
  std::string address;
  bool offers = false;    ///< it is connected, and says that it has the store
  bool has_begun = false; ///< it says so now, and did not before
};

/// Address of the candidate whose store to use, or to wait for; empty: there is none. If several offer it: the one that
/// began last, since the others have lost it and do not know yet; being merely connected again is no beginning. A wrong
/// choice costs nothing but time: a store that was taken over writes nothing. `followed`: the last choice.
std::string store_to_follow(const std::vector<store_candidate>& all, const std::string& followed);

} // namespace steadfast::workflow
