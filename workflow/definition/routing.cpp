#include "workflow/definition/routing.hpp"

namespace steadfast::workflow {

std::optional<std::size_t> choose_place(const std::vector<std::uint64_t>& loads, std::uint64_t chance) {
  if (loads.empty())
    return std::nullopt;
  const std::size_t first = chance % loads.size();
  std::size_t best = first;
  for (std::size_t n = 1; n < loads.size(); ++n) {
    const auto i = (first + n) % loads.size();
    if (loads[i] < loads[best])
      best = i;
  }
  return best;
}

} // namespace steadfast::workflow
