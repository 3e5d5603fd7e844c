#include "workflow/supervision/store_choice.hpp"

#include <algorithm>

namespace steadfast::workflow {

std::string store_to_follow(const std::vector<store_candidate>& all, const std::string& followed) {
  // The higher, the better.
  const auto rank = [&followed](const store_candidate& c) {
    const bool is_followed = c.address == followed;
    if (!c.offers)
      return is_followed ? 1 : 0;
    return c.has_begun ? 4 : is_followed ? 3 : 2;
  };
  const auto best =
    std::max_element(all.begin(), all.end(), [&](const auto& a, const auto& b) { return rank(a) < rank(b); });
  return best == all.end() ? std::string{} : best->address;
}

} // namespace steadfast::workflow
