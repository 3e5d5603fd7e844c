#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace steadfast {

enum class metric_kind : std::uint8_t { counter, gauge, histogram };
std::string_view to_string(metric_kind k);

/// A metric of a node: all that there is to say about it.
struct metric {
  std::string_view name;
  metric_kind is;
  std::vector<std::string_view> labels;
  std::string_view meaning;
};

/// The only list of them, in the order of the page. docs/metrics.md says the same; a test compares the two.
const std::vector<metric>& metric_catalog();

} // namespace steadfast
