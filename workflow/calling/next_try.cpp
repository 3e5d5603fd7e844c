#include "workflow/calling/next_try.hpp"

#include <algorithm>

namespace steadfast::workflow {

std::optional<instant> next_try(const retry_policy& policy, const failed_try& last, std::uint64_t chance, instant now,
                                instant complete_by) {
  if (last.tries >= policy.attempts || now >= complete_by)
    return std::nullopt;
  const auto wait = std::max(back_off(policy, last.tries, chance), last.retry_after);
  const auto left = complete_by - now;
  // Subtracted rather than added: a service may ask for a wait of any length.
  if (wait >= left || std::max(last.took, span{1}) > left - wait)
    return std::nullopt;
  return now + wait;
}

} // namespace steadfast::workflow
