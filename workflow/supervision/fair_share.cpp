#include "workflow/supervision/fair_share.hpp"

#include <algorithm>

namespace steadfast::workflow {

std::uint64_t room_in(const places& p) {
  const auto all = p.max + (p.max + places_per_newcomer - 1) / places_per_newcomer;
  return all > p.taken ? all - p.taken : 0;
}

std::uint64_t load_of(std::uint64_t in_flight, std::uint64_t given_back) {
  return in_flight + places_per_newcomer * given_back;
}

bool may_take(std::uint64_t load, const places& p) {
  return load + places_per_newcomer * p.taken < (1 + places_per_newcomer) * p.max;
}

std::optional<std::size_t> whose_turn(const std::vector<std::uint64_t>& loads, const places& p) {
  const auto least = std::min_element(loads.begin(), loads.end());
  if (least == loads.end() || !may_take(*least, p))
    return std::nullopt;
  return static_cast<std::size_t>(least - loads.begin());
}

} // namespace steadfast::workflow
