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

/// Address of the one whose store to use, or to wait for; empty: there is no candidate. Of several that offer it, the
/// one that began last, for the others have lost it and do not know yet; who is only connected again has not begun. A
/// wrong choice costs time and nothing else: a store that was taken over writes nothing. `followed`: the last choice.
std::string store_to_follow(const std::vector<store_candidate>& all, const std::string& followed);

} // namespace steadfast::workflow
