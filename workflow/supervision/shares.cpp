#include "workflow/supervision/shares.hpp"

#include <algorithm>

namespace steadfast::workflow {

bool may_take_share(std::uint32_t own, const std::vector<std::uint32_t>& others, std::uint32_t looks) {
  if (looks >= looks_for_others)
    return true;
  return std::none_of(others.begin(), others.end(), [own](std::uint32_t has) { return has < own; });
}

bool should_let_go(std::uint32_t own, const std::vector<std::uint32_t>& waiting) {
  const auto [fewest, most] = std::minmax_element(waiting.begin(), waiting.end());
  return !waiting.empty() && own >= *most && own - *fewest >= 2;
}

} // namespace steadfast::workflow
