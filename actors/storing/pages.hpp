#pragma once

#include "actors/protocol/boxed.hpp"

#include <cstdint>
#include <iterator>
#include <optional>
#include <vector>

// For the pages that readers are asked for and answer with.

namespace steadfast::actors {

/// Where a page begins; 0 stands for the newest.
inline std::optional<std::uint64_t> position(std::uint64_t before) {
  return before == 0 ? std::nullopt : std::optional{before};
}

template <class T>
std::vector<boxed<T>> boxes(std::vector<T> values) {
  return {std::make_move_iterator(values.begin()), std::make_move_iterator(values.end())};
}

} // namespace steadfast::actors
