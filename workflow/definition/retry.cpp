#include "workflow/definition/retry.hpp"

#include <algorithm>

namespace steadfast::workflow {
namespace {

// Ends early at the cap; rounding up makes every factor above 100 grow, so the loop is short whatever `tries` is.
std::int64_t grown_wait(const retry_policy& policy, std::uint32_t tries) {
  const std::int64_t cap = policy.cap.count();
  const std::int64_t factor = policy.factor_percent;
  std::int64_t wait = policy.initial.count();
  for (std::uint32_t i = 1; i < tries && factor > 100; ++i) {
    if (wait > cap * 100 / factor)
      return cap;
    wait = (wait * factor + 99) / 100;
  }
  return std::min(wait, cap);
}

} // namespace

span back_off(const retry_policy& policy, std::uint32_t tries, std::uint64_t chance) {
  const std::int64_t wait = grown_wait(policy, tries);
  const auto shorter_max = static_cast<std::uint64_t>(wait) * policy.jitter_percent / 100;
  const auto shorter = static_cast<std::int64_t>(chance % (shorter_max + 1));
  return span{std::max<std::int64_t>(wait - shorter, 1)};
}

std::uint64_t mixed(std::uint64_t a, std::uint64_t b, std::uint64_t c) {
  std::uint64_t x = 0;
  for (const std::uint64_t part : {a, b, c}) {
    x += part + 0x9e3779b97f4a7c15U; // splitmix64, one round for each argument
    x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9U;
    x = (x ^ (x >> 27U)) * 0x94d049bb133111ebU;
    x ^= x >> 31U;
  }
  return x;
}

} // namespace steadfast::workflow
