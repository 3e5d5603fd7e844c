#include "store/postgres/succession.hpp"

namespace steadfast::store::postgres {

bool succession::may_take(const shown_partition& seen, std::chrono::steady_clock::time_point now,
                          bool lets_others_first) {
  const bool is_as_before =
    last_ && last_->epoch == seen.epoch && last_->commit == seen.commit && last_->holder == seen.holder;
  if (!is_as_before)
    since_ = now;
  last_ = seen;
  const auto others_need = lets_others_first ? 2 * between_looks(lease_) : std::chrono::milliseconds{0};
  const auto holder_has = seen.holder.empty() ? std::chrono::milliseconds{0} : lease_;
  return now - since_ >= holder_has + others_need;
}

} // namespace steadfast::store::postgres
