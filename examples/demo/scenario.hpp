#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>

namespace demo {

struct scenario_options {
  std::filesystem::path programs; ///< steadfast, example_service and effect_checker are in here, or in folders below it
  std::filesystem::path workflows; ///< folder of *.toml files
  std::filesystem::path folder;    ///< for everything that is written
  std::uint32_t deliveries = 1000;
  std::uint32_t orders = 200;
  std::uint32_t rate = 120; ///< submissions per second
  std::uint32_t nodes = 1;  ///< more than one: a cluster; the first has the store
  std::uint32_t kills = 2;  ///< of any of the nodes; of the one with the store, if that is on a server
  std::string store_url;    ///< of a store on PostgreSQL, which is empty; empty: the store is in files
  std::string half_way;     ///< a command for the shell, run when half of the tasks are acknowledged; may be empty
  std::uint64_t seed = 1;
  bool stays = false;              ///< the nodes run again at the end, until Ctrl-C
  std::chrono::seconds limit{110}; ///< until the last task has ended
};

/// True when Ctrl-C or SIGTERM came; the scenario ends soon after.
using interrupted = bool (*)();

/// Plays all of it and prints as it goes. True when every task has ended, the node stopped as it should and the checker
/// found nothing. Throws std::exception when a program cannot be started or does not do what it is asked.
bool play(const scenario_options& o, interrupted stop_now);

} // namespace demo
