#pragma once

#include "runtime/http/messages/http_message.hpp"

#include <nlohmann/json.hpp>

namespace steadfast::runtime {

http_response json_response(const nlohmann::json& body, unsigned status = 200);

/// Whether pages of other origins may send such a request at all.
http_response preflight(const http_request& r);

/// What every answer has: headers against misuse, CORS for an origin that is known, an entity tag, compression.
void dress(const http_request& asked, bool is_known_origin, http_response& r);

} // namespace steadfast::runtime
