#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace soak {

/// A figure over time, or over what was done: minutes or thousands of tasks, and the value.
using course = std::vector<std::pair<double, double>>;

/// How much it grows in one of these: the median of the slopes between all pairs of points (Theil and Sen), so that
/// single values that are far off do not matter. 0 of less than two.
inline double slope(const course& c) {
  std::vector<double> slopes;
  for (std::size_t i = 0; i < c.size(); ++i)
    for (std::size_t k = i + 1; k < c.size(); ++k)
      if (c[k].first > c[i].first)
        slopes.push_back((c[k].second - c[i].second) / (c[k].first - c[i].first));
  if (slopes.empty())
    return 0;
  const auto middle = slopes.begin() + static_cast<std::ptrdiff_t>(slopes.size() / 2);
  std::nth_element(slopes.begin(), middle, slopes.end());
  return *middle;
}

inline double median(const course& c) {
  if (c.empty())
    return 0;
  std::vector<double> values;
  for (const auto& [minute, value] : c)
    values.push_back(value);
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// What may not grow by more: of its own median (`in_percent`) or as it is counted.
struct gate {
  std::string what;
  std::string unit;
  double growth_max = 0;
  bool in_percent = false;
  std::string in = "a minute"; ///< or what else the course goes over
};

struct gate_result {
  double median = 0;
  double growth = 0; ///< as the gate counts it
  bool passed = false;
};

/// A figure of which nothing is known does not pass.
inline gate_result gate_result_of(const gate& g, const course& c) {
  gate_result j;
  j.median = median(c);
  j.growth = slope(c);
  if (g.in_percent)
    j.growth = j.median == 0 ? (j.growth > 0 ? std::numeric_limits<double>::infinity() : 0) : 100 * j.growth / j.median;
  j.passed = c.size() >= 2 && j.growth <= g.growth_max;
  return j;
}

} // namespace soak
