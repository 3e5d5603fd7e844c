#pragma once

#include "examples/demo/processes/cluster.hpp"
#include "tests/chaos/fault.hpp"
#include "tests/chaos/servers.hpp"
#include "tests/support/processes/hosts.hpp"
#include "tests/support/processes/wall_clock.hpp"

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace demo {
class services;
}

namespace chaos {

struct options;

/// The nodes, the hosts they are on, and what is being done to them.
class playground {
public:
  /// REQUIRES: no thread was started yet.
  explicit playground(const options& o);

  const steadfast::tests::hosts& hosts() const { return hosts_; }
  const abilities& can() const { return can_; }
  demo::cluster& nodes() { return nodes_; }
  void add_nodes(const options& o, const demo::services& remote);

  bool is_free(std::uint32_t host) const { return !under_.at(host).has_value(); }
  std::size_t free_nodes() const;
  /// One that can say how many tasks there are; null: none can now.
  demo::node* who_counts();
  /// Starts all nodes, and waits until each answers.
  void start();
  /// Starts nodes again that another has taken the store from, or that found no server, as a service manager does.
  /// Throws std::runtime_error with what a node said that ended otherwise.
  void start_those_who_ended();
  /// All nodes; a sentence about each that did not end as it should.
  std::vector<std::string> stop();
  std::uint32_t taken_from() const { return taken_from_; } ///< so many had lost the store

  /// Whether the hosts that it names are free, and one that is to stop has got so far as to know how.
  bool can_begin(const fault& f);
  /// REQUIRES: can_begin(f).
  void begin(const fault& f);
  /// Ends what has lasted long enough. Complaints, a sentence each.
  std::vector<std::string> end_due();
  /// Ends everything, sets the clocks right and waits until each node answers.
  std::vector<std::string> heal();

private:
  struct active_fault {
    fault what;
    std::chrono::steady_clock::time_point until;
  };

  static std::filesystem::path make_certificates(const std::filesystem::path& program, const options& o);
  std::vector<std::string> command_for(std::uint32_t node, const std::filesystem::path& folder);
  bool is_server(std::uint32_t host) const { return host >= can_.nodes; } ///< or etcd
  void signal(std::uint32_t host, int number);
  void wait_until_all_are_up();
  void wait_until_up(demo::node& n);
  std::optional<std::string> end(const fault& f);
  template <class Condition>
  std::vector<std::string> end_all(Condition is_over);

  steadfast::tests::hosts hosts_;
  abilities can_;
  demo::cluster nodes_;
  std::vector<steadfast::tests::wall_clock> clocks_; ///< by node; none when they cannot be set
  std::vector<std::optional<active_fault>> under_;   ///< by host
  std::unique_ptr<servers> servers_;
  bool is_server_lost_ = false;
  std::uint32_t taken_from_ = 0;
};

} // namespace chaos
