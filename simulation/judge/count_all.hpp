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

/// Calls f(task) for each that is stored, the newest first: likewise. Results are left out.
template <class F>
void each_task(const store::state_store& s, F f) {
  constexpr std::size_t at_once = 1000;
  std::optional<std::uint64_t> before;
  do {
    const auto page = s.list({}, before, at_once);
    for (const auto& t : page.tasks)
      f(t);
    before = page.next;
  } while (before);
}

} // namespace steadfast::simulation
