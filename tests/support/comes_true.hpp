#pragma once

#include <chrono>
#include <thread>

namespace steadfast::tests {

/// Looks again and again until it holds; false when it did not within a time that no busy machine takes.
template <class Condition>
bool comes_true(Condition holds) {
  constexpr std::chrono::seconds hang{60};
  for (const auto until = std::chrono::steady_clock::now() + hang; std::chrono::steady_clock::now() < until;
       std::this_thread::sleep_for(std::chrono::milliseconds{5}))
    if (holds())
      return true;
  return false;
}

} // namespace steadfast::tests
