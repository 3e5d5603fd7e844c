#pragma once

#include "tests/support/chooser.hpp"

#include <catch2/catch.hpp>
#include <iostream>
#include <rapidcheck.h>

#include <cstdint>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace steadfast::tests {

/// Checks a property in `cases` random cases of up to `size` choices. RC_PARAMS="max_success=1000" makes it ten times
/// as many. A case that fails is printed as it was found before it is shrunken, since shrinking may outlast the test's
/// time; the shrunken case follows, with the parameters that repeat it.
template <class Testable>
void holds(int cases, int size, const Testable& testable) {
  auto params = rc::detail::configuration().testParams;
  params.maxSuccess = static_cast<int>(static_cast<std::int64_t>(params.maxSuccess) * cases / 100);
  params.maxSize = size;
  const bool shrinks = !std::exchange(params.disableShrinking, true);
  auto result = rc::detail::checkTestable(testable, rc::detail::TestMetadata{}, params);
  if (shrinks && !result.template is<rc::detail::SuccessResult>()) {
    rc::detail::printResultMessage(result, std::cerr);
    params.disableShrinking = false;
    result = rc::detail::checkTestable(testable, rc::detail::TestMetadata{}, params);
  }
  std::ostringstream text;
  rc::detail::printResultMessage(result, text);
  INFO(text.str() << "\nrepeat with RC_PARAMS=\"seed=" << params.seed << " max_success=" << params.maxSuccess << "\"");
  REQUIRE(result.template is<rc::detail::SuccessResult>());
}

/// Up to the present size of the property's case many numbers.
inline std::vector<std::uint32_t> some_choices() {
  const auto number = rc::gen::resize(rc::kNominalSize, rc::gen::inRange<std::uint32_t>(0, 1'000'000));
  return *rc::gen::container<std::vector<std::uint32_t>>(number);
}

} // namespace steadfast::tests
