#pragma once

#include "apps/bench/load/paced_service.hpp"
#include "apps/bench/load/workload.hpp"

#include <nlohmann/json.hpp>

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

// Every measurement runs in processes of its own, which start with nothing in memory: this program, called with its
// role. Part and measuring process exchange lines of JSON over the part's standard input and output.

namespace steadfast::bench {

/// The role of a part.
struct part_setup {
  /// "service": something to be called over HTTP; "caller": calls a node; "waiting": a node with waiting_load.hpp
  std::string kind = "node";
  std::string name = "bench"; ///< of its node
  std::string folder{};       ///< of its store and its socket
  std::string server{};       ///< URL of the PostgreSQL server that has its store; empty: it is in the folder
  std::string schema{};       ///< there
  std::vector<std::string> roles = {"store", "scheduler", "supervisor", "agents"};
  std::string listen{};
  std::uint16_t http_port = 0; ///< of 127.0.0.1; 0: none
  std::string join{};
  std::string agents = "function"; ///< or "silent", "http", "paced"
  std::string url{};               ///< with http
  std::string ca_file{};           ///< likewise, over TLS
  std::uint32_t in_flight_max = 1024;
  workload load{};
  std::int64_t keep_at_most = -1; ///< of the tasks that have ended; -1: all
  std::uint32_t partitions = 1;   ///< of its store
  std::string certificates{};     ///< folder of those for connections between nodes, or of a service; empty: none
  bench::pace pace{};             ///< with paced
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(part_setup, kind, name, folder, server, schema, roles, listen,
                                                http_port, join, agents, url, ca_file, in_flight_max, load,
                                                keep_at_most, partitions, certificates, pace)

/// A part, from outside. Ends with this object, by force if need be. Every function throws failure if the part is gone,
/// or Ctrl-C was pressed.
class part {
public:
  /// Returns when it is ready.
  explicit part(const part_setup& setup);
  ~part();
  part(const part&) = delete;
  part& operator=(const part&) = delete;

  /// Sends it a request and waits for the answer.
  nlohmann::json call(const std::string& what, const nlohmann::json& with = nlohmann::json::object());
  /// The same in two halves.
  void tell(const std::string& what, const nlohmann::json& with = nlohmann::json::object());
  nlohmann::json answer();
  void kill(); ///< SIGKILL

  pid_t process() const { return process_; }
  std::chrono::steady_clock::time_point started() const { return started_; }
  const nlohmann::json& about() const { return about_; } ///< what it said when it was ready

private:
  void end(std::chrono::milliseconds limit);

  std::chrono::steady_clock::time_point started_;
  pid_t process_ = -1;
  int to_ = -1;
  int from_ = -1;
  std::string read_; ///< and not yet used
  nlohmann::json about_;
};

/// Puts tasks into the store of such a node, before it starts.
void fill_store(part_setup setup, std::uint64_t tasks);

/// Runs a process that was started as a part; returns the exit code.
int be_part(const part_setup& setup);

} // namespace steadfast::bench
