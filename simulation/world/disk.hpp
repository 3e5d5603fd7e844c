#pragma once

#include "simulation/world/chance.hpp"
#include "store/contract/wrapped_store.hpp"

#include <functional>
#include <memory>
#include <vector>

namespace steadfast::simulation {

/// How often a commit goes wrong.
struct disk_faults {
  std::uint32_t dies_before_permille = 0; ///< the process ends before anything is written
  std::uint32_t dies_after_permille = 0;  ///< it was written, and the process ends before it says so
  std::uint32_t unknown_permille = 0;     ///< it was written, and nobody knows
  std::uint32_t full_permille = 0;        ///< there is no room for a moment: nothing is written
};

enum class commit_fate { made, died_before, died_after, unknown, no_room };

/// Called for every commit, with the actual or intended answer, and with the store unless nothing was written.
using commit_listener = std::function<void(const store::state_store*, const store::write_list&,
                                           const std::vector<store::outcome>&, commit_fate)>;

/// The store of one process on a disk with faults. When the process dies the real store is closed, so that the next
/// life can open it; all further requests of the dead process fail.
class disk final : public store::wrapped_store {
public:
  disk(std::unique_ptr<store::local_store> real, const disk_faults& faults, chance& draw, commit_listener on_commit);

  void set_faults(const disk_faults& faults) { faults_ = faults; }
  void close() { real_.reset(); }
  bool is_open() const { return real_ != nullptr; }

  using state_store::commit;
  std::vector<store::outcome> commit(const store::write_list& batch) override;
  std::vector<store::set_aside_damaged> damaged() override;
  void share(std::function<void()> wake) override;
  void save() override;

private:
  local_store& real() const override;

  std::unique_ptr<store::local_store> real_;
  disk_faults faults_;
  chance& chance_;
  commit_listener on_commit_;
};

} // namespace steadfast::simulation
