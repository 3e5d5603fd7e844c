#include "runtime/simulation/disk.hpp"

#include <utility>

namespace steadfast::simulation {

disk::disk(std::unique_ptr<store::state_store> real, const disk_faults& faults, chance& draw)
    : real_{std::move(real)},
      faults_{faults},
      chance_{draw} {}

store::state_store& disk::real() const {
  if (!real_)
    throw store::store_error{"the process has ended", true};
  return *real_;
}

std::vector<store::outcome> disk::commit(const std::vector<store::write>& batch) {
  if (chance_.happens(faults_.dies_before_permille))
    throw store::store_error{"the process died before the commit", true};
  if (chance_.happens(faults_.full_permille))
    throw store::store_error{"there is no room on the disk for a moment", false};
  auto outcomes = real().commit(batch);
  if (chance_.happens(faults_.dies_after_permille))
    throw store::store_error{"the process died after the commit", true};
  if (!chance_.happens(faults_.unknown_permille))
    return outcomes;
  store::outcome unknown;
  unknown.result = store::verdict::unknown_outcome;
  return std::vector(outcomes.size(), unknown);
}

/// Asked by the store's actor also while it dies.
std::vector<store::set_aside_damaged> disk::damaged() {
  return real_ ? real_->damaged() : std::vector<store::set_aside_damaged>{};
}

} // namespace steadfast::simulation
