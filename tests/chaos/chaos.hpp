#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>

namespace chaos {

struct options {
  std::filesystem::path programs;    ///< folder of the build
  std::filesystem::path workflows;   ///< folder with the workflows of tests/chaos
  std::filesystem::path folder;      ///< for everything that is written
  std::uint32_t nodes = 3;           ///< the first has the store, unless that is on PostgreSQL
  bool postgres = false;             ///< the store is there, on a primary and a synchronous standby
  bool patroni = false;              ///< with `postgres`: Patroni looks after those, not this program
  std::uint32_t partitions = 1;      ///< of the store
  bool certificates = false;         ///< the nodes know each other by them; no clock is set then
  std::uint32_t rate = 200;          ///< submissions per second
  std::uint32_t orders_percent = 50; ///< of the submissions; the others are parcels, which do not wait
  std::uint32_t drafts_percent = 10; ///< of the parcels: instead of it a draft begins, which later ones replace
  std::chrono::seconds lasts{30};    ///< under faults
  std::uint64_t seed = 1;
  std::chrono::seconds quiet_max{180}; ///< from the end of the faults until the last task must have ended
};

/// True when Ctrl-C or SIGTERM came; the run ends soon after.
using interrupted = bool (*)();

/// Plays all of it and prints as it goes. True when every task has ended, the nodes stopped as they should and the
/// checker found nothing. Throws std::exception when something cannot be started or a node ended by itself. Call it
/// before any thread is started: with root it moves to a network of its own.
bool play(const options& o, interrupted stop_now);

} // namespace chaos
