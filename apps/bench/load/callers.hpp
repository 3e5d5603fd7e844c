#pragma once

#include "apps/bench/load/workload.hpp"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>

namespace steadfast::bench {

/// The load of a process at a node's control channel, as from users' programs with steadfast::client, or at its HTTP
/// port.
struct call_plan {
  std::string socket;
  std::uint16_t http_port = 0;   ///< of this host; 0: at the control channel
  std::uint32_t batch = 1;       ///< submissions of one request over HTTP
  std::uint32_t connections = 0; ///< each submits one task after the other
  double lists_per_second = 0;   ///< how often the first page of all tasks is asked for
  double scrapes_per_second = 0; ///< how often Prometheus asks for the metrics, over HTTP
  double seconds = 5;
  std::uint64_t first = 0; ///< index of the first task
  workload load;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(call_plan, socket, http_port, batch, connections, lists_per_second,
                                                scrapes_per_second, seconds, first, load)

/// Blocks until it is over. Throws client_error.
nlohmann::json call_node(const call_plan& plan);

} // namespace steadfast::bench
