#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace steadfast::tests {

/// Random decisions drawn from a list of numbers, so that a failing case shrinks to few decisions. When the list is
/// used up every decision is the first one.
class chooser {
public:
  explicit chooser(std::vector<std::uint32_t> choices) : choices_{std::move(choices)} {}

  std::uint32_t below(std::uint32_t n) { return is_used_up() ? 0 : choices_[next_++] % n; }
  /// True in one of `n` cases; false when the list is used up.
  bool one_in(std::uint32_t n) { return below(n) == n - 1; }
  bool is_used_up() const { return next_ >= choices_.size(); }

private:
  std::vector<std::uint32_t> choices_;
  std::size_t next_ = 0;
};

} // namespace steadfast::tests
