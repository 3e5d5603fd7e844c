#include "simulation/world/disk.hpp"

#include <utility>

namespace steadfast::simulation {

disk::disk(std::unique_ptr<store::local_store> real, const disk_faults& faults, chance& draw, commit_listener on_commit)
    : real_{std::move(real)},
      faults_{faults},
      chance_{draw},
      on_commit_{std::move(on_commit)} {}

store::local_store& disk::real() const {
  if (!real_)
    throw store::store_error{"the process has ended", true};
  return *real_;
}

std::vector<store::outcome> disk::commit(const store::write_list& batch) {
  if (chance_.happens(faults_.dies_before_permille)) {
    on_commit_(nullptr, batch, {}, commit_fate::died_before);
    throw store::store_error{"the process died before the commit", true};
  }
  if (chance_.happens(faults_.full_permille)) {
    on_commit_(nullptr, batch, {}, commit_fate::no_room);
    throw store::store_error{"there is no room on the disk for a moment", false};
  }
  auto outcomes = real().commit(batch);
  if (chance_.happens(faults_.dies_after_permille)) {
    on_commit_(real_.get(), batch, outcomes, commit_fate::died_after);
    throw store::store_error{"the process died after the commit", true};
  }
  const bool is_known = !chance_.happens(faults_.unknown_permille);
  on_commit_(real_.get(), batch, outcomes, is_known ? commit_fate::made : commit_fate::unknown);
  if (is_known)
    return outcomes;
  return std::vector<store::outcome>(outcomes.size(), store::decision{store::write_status::unknown_outcome, {}});
}

// The store's actor asks even after the process has ended.

std::vector<store::set_aside_damaged> disk::damaged() {
  return real_ ? real_->damaged() : std::vector<store::set_aside_damaged>{};
}

void disk::share(std::function<void()> wake) {
  if (real_)
    real_->share(std::move(wake));
}

void disk::save() {
  if (real_)
    real_->save();
}

} // namespace steadfast::simulation
