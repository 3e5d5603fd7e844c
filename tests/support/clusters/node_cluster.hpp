#pragma once

#include "tests/support/fast_place.hpp"
#include "tests/support/processes/hosts.hpp"
#include "tests/support/processes/run_program.hpp"
#include "tests/support/temp_folder.hpp"

#include <nlohmann/json.hpp>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace steadfast::tests {

/// For what must happen, on a machine that may have much else to do.
inline constexpr std::chrono::seconds patience{60};

/// How nodes recognise each other. What `as_chosen` means says the variable STEADFAST_TEST_CERTIFICATES: set, and not
/// to 0, the nodes of a test that does not care have certificates.
enum class trust { as_chosen, plain, certified };

/// Makes certificates for nodes and clients, the first of which may have the store. Throws std::runtime_error.
void make_certificates(const std::string& program, const std::filesystem::path& folder, std::vector<std::string> nodes,
                       const std::vector<std::string>& clients = {});

/// Three real nodes, each a process of its own, on free ports of loopback: `a` has the store, `b` and `c` can
/// supervise; all of them run tasks, four at a time, and offer the agents `quick`, `slow` (300 ms), `broken` and
/// `held`. Leases last 3 s.
class node_cluster {
public:
  /// On hosts of their own, or all on this one. The variables of the environment are for the nodes alone.
  explicit node_cluster(std::string program, const hosts* apart = nullptr, std::vector<std::string> environment = {},
                        trust by = trust::as_chosen);

  /// Starts them all and waits until each sees three that live.
  void start();
  void start(const std::string& name);
  running_program& process(const std::string& name) { return *running_.at(name); }
  /// SIGKILL.
  void kill(const std::string& name);
  /// What that node runs from its next start on.
  void set_program(const std::string& name, const std::string& program) { programs_[name] = program; }
  /// Variables of the environment of that node alone, from its next start on.
  void set_environment(const std::string& name, std::vector<std::string> more) { own_[name] = std::move(more); }

  /// The host it is on: 0 to 2.
  static std::uint32_t number_of(const std::string& name);
  std::string config(const std::string& name) const { return (folder_.path() / "nodes" / name / "node.toml").string(); }
  std::string socket(const std::string& name) const { return folder_.path() / "nodes" / name / "control.sock"; }
  /// Where other nodes reach it: host:port.
  const std::string& address(const std::string& name) const { return addresses_.at(name); }
  /// What belongs into [cluster] of that node, or of the client `desk`; empty: there are no certificates.
  std::string certificate_options(const std::string& name) const;
  /// A command about that node.
  program_end command(const std::string& name, std::vector<std::string> arguments, const std::string& input = "") const;
  /// The lines of JSON that it prints; none when it failed.
  std::vector<nlohmann::json> json_of(const std::string& name, std::vector<std::string> arguments) const;

  /// Submits tasks of the workflow `three`: prefix0, prefix1, ... Throws std::runtime_error when one is not taken.
  void submit(const std::string& to, const std::string& prefix, int count) const;

  /// Submits `occupied` tasks of the workflow, held0 on, and waits until every node has as many of them in flight as it
  /// takes at a time, and their steps are at work. They go on until release(): an attempt of `held` for 40 s at most,
  /// one of `brief` for 8 s.
  void occupy(const std::string& workflow = "held", const std::string& prefix = "held") const;
  void release() const;
  void hold() const; ///< what begins from now on goes on until the next release()
  static constexpr int occupied = 12;
  /// The tasks that this node has locked.
  std::vector<std::string> in_flight(const std::string& node, const std::string& seen_by = "a") const;
  /// Whether each of these tasks was taken again, and its step ordered again, after it was lost.
  bool were_lost(const std::vector<std::string>& ids, const std::string& seen_by = "a") const;

  /// The attempts of the task's first step so far, as `task show` tells them.
  nlohmann::json attempts(const std::string& id, const std::string& seen_by = "a") const;
  /// The epoch of each node's own lease.
  std::map<std::string, std::uint64_t> lease_epochs(const std::string& seen_by) const;

  std::size_t living(const std::string& seen_by) const;
  std::string supervisor(const std::string& seen_by) const; ///< empty: nobody supervises
  /// How many tasks are in that state.
  int count(const std::string& seen_by, const std::string& process_state) const;

  /// Whether so many tasks are processed soon.
  bool all_processed(const std::string& seen_by, int count) const;
  /// How often a node has said so far that it lost a connection, or could not make it.
  std::size_t lost_connections() const;
  /// What every node has said so far.
  std::string logs() const;

  static bool eventually(const std::function<bool()>& holds, std::chrono::milliseconds limit);

private:
  std::string program_;
  const hosts* apart_;
  std::vector<std::string> environment_;
  std::map<std::string, std::string> programs_;         ///< by node, those that run another one
  std::map<std::string, std::vector<std::string>> own_; ///< further variables, by node
  temp_folder folder_{fast_place()};
  std::map<std::string, std::string> addresses_;
  std::map<std::string, std::unique_ptr<running_program>> running_;
};

} // namespace steadfast::tests
