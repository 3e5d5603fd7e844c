#pragma once

#include "tests/support/run_program.hpp"
#include "tests/support/temp_folder.hpp"

#include <nlohmann/json.hpp>

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace steadfast::tests {

/// Three real nodes, each a process of its own, on free ports of loopback: `a` has the store, `b` and `c` can supervise; all
/// of them run tasks and offer the agents `quick`, `slow` (300 ms) and `broken`. Leases last 3 s.
class node_cluster {
public:
  explicit node_cluster(std::string program);

  /// Starts them all and waits until each sees three that live.
  void start();
  void start(const std::string& name);
  running_program& process(const std::string& name) { return *running_.at(name); }
  /// SIGKILL.
  void kill(const std::string& name);

  std::string config(const std::string& name) const { return (folder_.path() / "nodes" / name / "node.toml").string(); }
  /// A command about that node.
  program_end command(const std::string& name, std::vector<std::string> arguments, const std::string& input = "") const;
  /// The lines of JSON that it prints; none when it failed.
  std::vector<nlohmann::json> json_of(const std::string& name, std::vector<std::string> arguments) const;

  std::size_t living(const std::string& seen_by) const;
  std::string supervisor(const std::string& seen_by) const; ///< empty: nobody supervises
  /// How many tasks are in that state.
  int count(const std::string& seen_by, const std::string& process_state) const;

  /// What every node has said so far.
  std::string logs() const;

  static bool eventually(const std::function<bool()>& holds, std::chrono::milliseconds limit);

private:
  std::string program_;
  temp_folder folder_;
  std::map<std::string, std::unique_ptr<running_program>> running_;
};

} // namespace steadfast::tests
