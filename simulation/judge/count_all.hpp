#pragma once

#include "store/contract/state_store.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>

namespace steadfast::simulation {

/// How many tasks match, however long that takes: for simulations and tests only.
inline std::size_t count_all(const store::state_store& s, const store::task_filter& filter = {}) {
  std::size_t matched = 0;
  std::optional<std::uint64_t> before;
  do {
    const auto part = s.count_part(filter, before);
    matched += part.matched;
    before = part.next;
  } while (before);
  return matched;
}

} // namespace steadfast::simulation
