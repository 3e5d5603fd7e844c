#pragma once

#include "simulation/run/batch.hpp"

#include <cstdint>
#include <filesystem>
#include <set>
#include <string>

namespace steadfast::simulation {

/// What the command line asks for.
struct request {
  std::uint64_t seed = 0; ///< of the first run
  std::uint64_t runs = 100;
  double seconds = 0; ///< 0: as many runs as asked for
  double wall_error_hours = 10;
  std::uint32_t tasks = 20;
  std::uint32_t partitions = 0; ///< 0: as the seed draws
  unsigned jobs = 1;
  unsigned seed_limit = 0;       ///< seconds; 0: none
  std::set<std::string> faults;  ///< empty: all
  std::set<std::size_t> skipped; ///< injected faults
  bool trace = false;
  bool twice = false;
  bool until_bad = false;
  bool no_crowds = false;
  std::string record; ///< file that is written; empty: none
  std::string replay; ///< file that is played under each seed; empty: what the seed draws
};

/// Figures of many runs.
struct sum {
  std::uint64_t runs = 0;
  std::uint64_t bad = 0;
  run_result all;
  double seconds = 0;
};

/// As it stands on the command line; empty: the seed draws.
std::string partitions_option(const request& r);

/// The options of the run of that seed.
run_options options_of(const request& r, std::uint64_t seed, const std::filesystem::path& folder);

/// Plays them in `jobs` processes, prints each violation with the command that plays it again, and progress to standard
/// error. Ends early on SIGINT. Throws std::system_error if no process can be started.
sum play_all(const request& r);

} // namespace steadfast::simulation
