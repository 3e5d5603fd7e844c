#pragma once

#include "actors/agents/http/http_caller.hpp"
#include "runtime/assembly/assembly.hpp"
#include "runtime/configuration/webhook_options.hpp"

#include <map>
#include <string>
#include <vector>

namespace steadfast {

/// Of a call over HTTP, as Standard Webhooks says: its id, the time and, for each key, a signature.
/// https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
std::vector<std::pair<std::string, std::string>> webhook_headers(const std::string& id, const std::string& body,
                                                                 std::int64_t seconds_since_1970,
                                                                 const std::vector<std::string>& keys);

/// By name, for a node that has the store, or a partition of it.
std::map<std::string, actors::webhook_actor>
spawn_webhooks(caf::actor_system& sys, const std::vector<webhook_entry>& entries, const actors::store_actor& to,
               const actors::reader_actor& reader, const actors::node_clock& clock);

} // namespace steadfast
