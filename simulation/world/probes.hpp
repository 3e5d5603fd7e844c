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

/// How often each row was reached: that a fault was injected is not enough, it must have hit what the row speaks of.
using probe_counts = std::map<int, std::uint64_t>;

} // namespace steadfast::simulation
