#pragma once

#include "examples/demo/processes/node_config.hpp"
#include "examples/demo/processes/process.hpp"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace demo {

class services;

/// Where the programs and the workflow files are, and where the node keeps its data.
struct node_paths {
  std::filesystem::path program;   ///< steadfast
  std::filesystem::path workflows; ///< folder of *.toml files
  std::filesystem::path folder;
  std::vector<std::string> run_by; ///< a command that runs the program, such as `nsenter ...`; empty: it runs directly
};

/// A node as a process of its own, on a configuration made for it: an http agent for each service.
class node {
public:
  node(node_paths paths, const services& remote, const node_place& place = {});

  void start();
  void kill() { child_.kill(); } ///< SIGKILL
  void signal(int number) { child_.signal(number); }
  /// Waits for its end. Its exit code; none when it still runs or was killed.
  std::optional<int> wait(std::chrono::milliseconds limit) { return child_.wait(limit); }
  /// SIGTERM: its exit code; none when it had to be killed.
  std::optional<int> stop(std::chrono::milliseconds limit) { return child_.stop(limit); }

  bool is_running() { return child_.is_running(); }
  bool is_serving();                                     ///< its control channel is open, so SIGTERM stops it properly
  bool waits_for_calls(std::chrono::milliseconds limit); ///< it answers on its control channel
  std::string ill_ending();                              ///< a sentence on one that did not stop as it should

  /// Tasks by process_state; none when the node does not answer.
  std::optional<std::map<std::string, std::uint64_t>> count_tasks() const;

  /// What its parts have in flight, in words; empty: nothing. Throws steadfast::client_error.
  std::string in_flight() const;

  /// Name of the living node that has the store, as far as this one knows; empty: it does not answer, or does not know.
  std::string who_has_store() const;

  const std::string& name() const { return name_; }
  std::string socket() const { return paths_.folder / "control.sock"; }
  std::filesystem::path config() const { return paths_.folder / "node.toml"; }
  std::filesystem::path store() const { return paths_.folder / "store"; }
  std::filesystem::path log() const { return paths_.folder / "node.log"; }

  /// Writes the alerts, one JSON object a line with its task. Throws steadfast::client_error.
  void save_alerts(const std::filesystem::path& file) const;

  /// Runs a subcommand of the program; throws std::runtime_error when it fails.
  void run(const std::vector<std::string>& subcommand, const std::filesystem::path& output,
           std::chrono::milliseconds limit) const;

private:
  const node_paths paths_;
  const std::string name_;
  process child_;
};

} // namespace demo
