#pragma once

#include <chrono>
#include <cstdlib>
#include <string>
#include <thread>

namespace steadfast::tests {

/// For how long a condition is waited for: a time that no busy machine takes, or STEADFAST_PATIENCE seconds.
inline std::chrono::seconds longest_wait() {
  const char* const asked = std::getenv("STEADFAST_PATIENCE");
  return std::chrono::seconds{asked != nullptr ? std::stoi(asked) : 60};
}

/// Looks again and again until it holds; false when it did not within longest_wait().
template <class Condition>
bool comes_true(Condition holds) {
  const auto hang = longest_wait();
  for (const auto until = std::chrono::steady_clock::now() + hang; std::chrono::steady_clock::now() < until;
       std::this_thread::sleep_for(std::chrono::milliseconds{5}))
    if (holds())
      return true;
  return false;
}

} // namespace steadfast::tests
