#include "store/postgres/succession.hpp"

namespace steadfast::store::postgres {

bool succession::may_take(const shown_partition& seen, std::chrono::steady_clock::time_point now) {
  const bool is_as_before =
    last_ && last_->epoch == seen.epoch && last_->commit == seen.commit && last_->holder == seen.holder;
  if (!is_as_before)
    since_ = now;
  last_ = seen;
  return seen.holder.empty() || now - since_ >= lease_;
}

} // namespace steadfast::store::postgres
