#pragma once

#include "simulation/run/run.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace steadfast::simulation {

struct batch_progress {
  std::uint64_t runs = 0;
  std::uint64_t tasks = 0;
  std::uint64_t broken = 0; ///< runs
};

/// Many runs, each of a seed of its own.
struct batch {
  std::uint64_t first_seed = 1;
  std::uint64_t runs = 100;     ///< at most
  unsigned jobs = 1;            ///< processes that play at a time; with 1 it is this one
  bool until_broken = false;    ///< begin no further run when one has broken a promise
  std::filesystem::path folder; ///< it must be there; what is put into it may be removed afterwards
  /// Plays one, in any of the processes, with its files in that folder.
  std::function<run_result(std::uint64_t seed, const std::filesystem::path& folder)> play;
  std::function<bool()> is_over;                          ///< asked before each run, in each of the processes
  std::function<void(const batch_progress&)> on_progress; ///< called now and then; may be empty
};

struct broken_run {
  std::uint64_t seed = 0;
  std::uint64_t steps = 0;
  std::vector<std::string> violations;
  std::vector<std::string> stories;
};

struct batch_result {
  std::uint64_t runs = 0;
  run_result all;                 ///< summed up
  std::vector<broken_run> broken; ///< the shortest first
};

/// The same for the same seeds, however many processes play them. They are forked: the caller must not have threads.
/// Throws std::runtime_error if one of them dies or cannot play, std::system_error if none can be started.
batch_result play_all(const batch& b);

} // namespace steadfast::simulation
