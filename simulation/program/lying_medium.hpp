#pragma once

#include "simulation/lying_disk/lying_disk.hpp"
#include "simulation/world/medium.hpp"

#include <memory>

namespace steadfast::simulation {

/// A disk that lies, below the store of a simulated cluster.
class lying_medium final : public medium {
public:
  lying_medium(const std::filesystem::path& folder, std::uint64_t seed) : disk_{folder, seed} {}

  void set_faults(std::uint32_t sync_permille, std::uint32_t short_permille) override {
    disk_.set_faults({sync_permille, 0, short_permille, false});
  }
  void stop() override { disk_.stop(); }
  void stop_at(std::uint64_t calls) override { disk_.stop_at(calls); }
  bool is_stopped() const override { return disk_.is_stopped(); }
  void start(bool power_was_cut) override { power_was_cut ? disk_.start_again() : disk_.go_on(); }
  std::uint64_t failures(const std::filesystem::path& file) const override { return disk_.failures(file); }
  std::uint64_t failures() const override { return disk_.failures(); }

private:
  lying_disk disk_;
};

inline std::unique_ptr<medium> make_lying_medium(const std::filesystem::path& folder, std::uint64_t seed) {
  return std::make_unique<lying_medium>(folder, seed);
}

} // namespace steadfast::simulation
