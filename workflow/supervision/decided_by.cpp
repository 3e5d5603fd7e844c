#include "workflow/supervision/decided_by.hpp"

namespace steadfast::workflow {

std::string why_not_by(const clock_reading& decided, const clock_reading& stores) {
  if (decided.set_at != stores.set_at)
    return "it was decided by another clock than the store's";
  if (decided.now > stores.now)
    return "it was decided by a clock that is ahead of the store's";
  return {};
}

} // namespace steadfast::workflow
