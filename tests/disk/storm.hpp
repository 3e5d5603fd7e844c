#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace steadfast::tests {

/// What a storm was made of.
struct storm_report {
  std::uint64_t commits = 0; ///< acknowledged
  std::uint64_t lives = 0;
  std::uint64_t power_cuts = 0;
  std::uint64_t failed_calls = 0; ///< lives that ended because of one
  std::uint64_t full = 0;         ///< batches of which new work was refused
  std::uint64_t restored = 0;
  std::uint64_t damaged = 0;
  std::uint64_t refused = 0;   ///< damaged stores that were refused by name
  std::uint64_t set_aside = 0; ///< tasks of those that were not
};
void add(storm_report& to, const storm_report& more);

/// A store on a lying disk in several lives, in each of which the seed draws what is committed, saved, copied, and how
/// it ends: closed, killed, in a power cut, by a failed call. After each it must hold what was acknowledged and nothing
/// else, but for the batch that was under way, of which all or nothing is there. Throws std::runtime_error with what is
/// broken.
storm_report ride_out(std::uint64_t seed, const std::filesystem::path& folder);

} // namespace steadfast::tests
