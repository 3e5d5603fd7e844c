#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string_view>

namespace steadfast::simulation {

/// A row of the failure table (docs/failure-model.md) that simulated clusters must reach.
struct failure_row {
  int number;
  std::string_view moment;
};
std::span<const failure_row> rows_to_reach();

/// How often each row was reached. It is not enough that a fault was injected: it must have hit what the row describes.
using probe_counts = std::map<int, std::uint64_t>;

} // namespace steadfast::simulation
