#pragma once

#include <chrono>
#include <cstdint>
#include <random>
#include <string>

namespace chaos {

/// What may be done to a node, or to a server of PostgreSQL.
enum class fault_kind : std::uint8_t {
  kill,        ///< SIGKILL, started again at the end
  stop,        ///< SIGTERM, started again at the end
  freeze,      ///< SIGSTOP, SIGCONT at the end
  cut,         ///< nothing passes between it and another host
  cut_one_way, ///< nothing of what it sends reaches another host
  set_clock,   ///< its host's wall clock is wrong from now on
  switch_over, ///< of servers: in good order the standby becomes the primary
  lose,        ///< of servers: killed with its disk; the other goes on alone, and has a new standby at the end
};

struct fault {
  fault_kind kind = fault_kind::kill;
  std::uint32_t host = 0;  ///< of a node, or, after those, of a server
  std::uint32_t other = 0; ///< the other host of a cut
  std::chrono::milliseconds lasts{0};
  std::chrono::seconds wrong_by{0}; ///< with set_clock
};

/// What can be done here, and to how many.
struct abilities {
  std::uint32_t nodes = 3;    ///< the first has the store, if there is no server
  std::uint32_t servers = 0;  ///< 0 or 2
  std::uint32_t arbiters = 0; ///< 1 if it is agreed there which server is the primary; it can be cut off only
  /// Of the nodes' leases, and of the primary's: half of what freezes and cuts lasts longer.
  std::chrono::milliseconds ttl;
  std::chrono::milliseconds primary_ttl;
  bool cuts = false;
  bool clocks = false;
};

/// Draws the next fault. The same numbers give the same faults.
fault draw(std::mt19937_64& chance, const abilities& a);

/// "node-1" is the first.
std::string node_name(std::uint32_t node);
/// Likewise, or "server-1", or "etcd".
std::string host_name(std::uint32_t host, const abilities& a);
/// "node-2 is frozen for 4.1 s"
std::string text_of(const fault& f, const abilities& a);

} // namespace chaos
