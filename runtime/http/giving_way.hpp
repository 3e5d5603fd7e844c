#pragma once

#include "runtime/http/http_session.hpp"

#include <chrono>
#include <list>
#include <string>

namespace steadfast::runtime {

/// Of connections that fill all places, the one that ends for a client who comes from that network: the longest idle
/// one; if none is idle, the one whose client has kept the node waiting for longest, if that is long enough; if none
/// has, one of the network that keeps it waiting on most connections, at least two more than the client's own. A
/// network that has more than half of all gives way first, and takes no place of others. Null: none gives way.
http_connection* to_give_way(const std::list<http_connection*>& all, const std::string& newcomer,
                             std::chrono::steady_clock::time_point now);

} // namespace steadfast::runtime
