#include "store/verbs/tasks/group_places.hpp"

#include <algorithm>

namespace steadfast::store {

std::optional<place_change> next_place_change(const group_places& now, const std::optional<limit_member>& first) {
  const auto last = std::max_element(now.admitted.begin(), now.admitted.end());
  const bool has_last = last != now.admitted.end();
  if (has_last && (now.taken() > last->at_a_time || (first && *first < *last)))
    return place_change{place_change::kind::take_back, *last};
  if (first && now.taken() < first->at_a_time)
    return place_change{place_change::kind::give, *first};
  return std::nullopt;
}

} // namespace steadfast::store
