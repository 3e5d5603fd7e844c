#pragma once

#include <catch2/catch.hpp>
#include <iostream>
#include <rapidcheck.h>

#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

namespace steadfast::tests {

/// Checks a property in `cases` random cases of up to `size` choices. RC_PARAMS="max_success=1000" makes it ten times as
/// many; a failure prints the shrunken case and the parameters that repeat it.
template <class Testable>
void holds(int cases, int size, Testable&& testable) {
  auto params = rc::detail::configuration().testParams;
  params.maxSuccess = static_cast<int>(static_cast<std::int64_t>(params.maxSuccess) * cases / 100);
  params.maxSize = size;
  const auto result = rc::detail::checkTestable(std::forward<Testable>(testable), rc::detail::TestMetadata{}, params);
  std::ostringstream text;
  rc::detail::printResultMessage(result, text);
  INFO(text.str() << "\nrepeat with RC_PARAMS=\"seed=" << params.seed << " max_success=" << params.maxSuccess << "\"");
  REQUIRE(result.template is<rc::detail::SuccessResult>());
}

/// Random decisions drawn from a list of numbers, so that a failing case shrinks to few decisions. When the list is used up
/// every decision is the first one.
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

/// Up to the present size of the property's case many numbers.
inline std::vector<std::uint32_t> some_choices() {
  const auto number = rc::gen::resize(rc::kNominalSize, rc::gen::inRange<std::uint32_t>(0, 1'000'000));
  return *rc::gen::container<std::vector<std::uint32_t>>(number);
}

} // namespace steadfast::tests
