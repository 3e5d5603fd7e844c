#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>

namespace steadfast::simulation {

/// The disk below the store's files. It can fail, and in a power cut it loses what no sync has made durable. Without a
/// medium the files are on the machine's own disk, and a power cut is only a kill.
class medium {
public:
  virtual ~medium() = default;

  /// How many of 1000 syncs fail, and how many of 1000 writes are incomplete.
  virtual void set_faults(std::uint32_t sync_permille, std::uint32_t short_permille) = 0;
  /// The process has ended: its further writes have no effect.
  virtual void stop() = 0;
  /// The same, in the middle of the n-th call from now that would change something.
  virtual void stop_at(std::uint64_t calls) = 0;
  virtual bool is_stopped() const = 0;
  /// For the next process. REQUIRES: no file is open.
  virtual void start(bool power_was_cut) = 0;
  /// Calls on that file that failed since then.
  virtual std::uint64_t failures(const std::filesystem::path& file) const = 0;
  virtual std::uint64_t failures() const = 0; ///< on any
};

using medium_maker = std::function<std::unique_ptr<medium>(const std::filesystem::path& folder, std::uint64_t seed)>;

} // namespace steadfast::simulation
