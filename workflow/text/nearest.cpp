#include "workflow/text/nearest.hpp"

#include <algorithm>
#include <numeric>

namespace steadfast::workflow {
namespace {

constexpr std::size_t mistyped_size_max = 128; // what is longer was not mistyped

// Optimal string alignment distance, over three rows of the table.
std::size_t edits(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), above(b.size() + 1), row(b.size() + 1);
  std::iota(above.begin(), above.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (a[i - 1] == b[j - 1] ? 0U : 1U)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
    std::swap(before, above);
    std::swap(above, row);
  }
  return above[b.size()];
}

} // namespace

std::optional<std::string> nearest(std::string_view name, const std::vector<std::string>& known) {
  if (name.size() > mistyped_size_max)
    return std::nullopt;
  std::optional<std::string> best;
  auto fewest = std::max<std::size_t>(1, name.size() / 3) + 1;
  for (const auto& candidate : known) {
    const auto n = edits(name, candidate);
    if (n < fewest && n < candidate.size()) {
      fewest = n;
      best = candidate;
    }
  }
  return best;
}

} // namespace steadfast::workflow
