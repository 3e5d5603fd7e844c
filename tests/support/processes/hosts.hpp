#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace steadfast::tests {

/// Hosts for the nodes of a cluster, joined by a network that can be cut. Each is a network namespace of its own, on a
/// bridge in the namespace that this process moves to; they end with the process. That takes root, iproute2, nftables
/// and a kernel with all of it. Where one is missing all hosts are this one, and nothing can be cut. Make them before
/// any thread starts.
class hosts {
public:
  explicit hosts(std::uint32_t count);
  ~hosts();
  hosts(const hosts&) = delete;
  hosts& operator=(const hosts&) = delete;

  bool are_apart() const { return why_not_.empty(); }
  const std::string& why_not() const { return why_not_; }

  std::string address(std::uint32_t host) const; ///< of host 0 to count - 1
  std::string own_address() const;               ///< of this process, which all hosts reach
  /// The command that runs this one on that host.
  std::vector<std::string> command_on(std::uint32_t host, std::vector<std::string> command) const;

  // Packets on their way and of open connections too are lost. REQUIRES: are_apart()
  void cut(std::uint32_t from, std::uint32_t to);
  void mend(std::uint32_t from, std::uint32_t to);

private:
  void build();
  /// The first word is a tool's name.
  void run_on(std::uint32_t host, std::vector<std::string> command, const std::string& input = "") const;

  std::string why_not_;
  std::vector<int> networks_; ///< file descriptors, by host
};

} // namespace steadfast::tests
