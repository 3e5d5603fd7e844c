#pragma once

#include "api/method.hpp"
#include "api/route.hpp"
#include "runtime/events/event_stream.hpp"
#include "runtime/http/messages/http_message.hpp"
#include "runtime/http/messages/http_text.hpp"

#include <nlohmann/json.hpp>

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace steadfast::runtime {

// The parameters of a method out of a request. All throw api::error, which names the parameter.

/// Out of the text of a path or a query: numbers, flags and moments are read, a list is separated by commas, and
/// "payload:/customer=c-77" is one of the places.
nlohmann::json parameters_of(const api::method& m, const std::map<std::string, std::string>& named,
                             const http_target& target);

/// A body as JSON; what is wrong with it, and where, if it is none.
nlohmann::json json_of_body(const std::string& body);

/// Out of a body, which is a JSON object or empty; those of the path must not say otherwise there.
nlohmann::json parameters_of(const api::method& m, const std::map<std::string, std::string>& named,
                             const std::string& body);

/// Of a query, for the events of all tasks.
event_filter event_filter_of(const http_target& target);

/// For what takes no parameters.
void expect_no_query(const http_target& target);

// Up to where a client has seen the events of a task, or of all: by its Last-Event-ID.
std::uint64_t revision_seen(const http_request& r);
std::optional<event_position> position_seen(const http_request& r);

/// How long the client waits for the outcome. Absent: not at all.
std::optional<std::chrono::milliseconds> waited_for(const http_target& target);

/// All of them, wherever the request has them; what is in both its query and its body must be the same.
nlohmann::json parameters_asked(const http_request& r, const http_target& target, api::verb verb, const api::method& m,
                                const std::map<std::string, std::string>& named);

} // namespace steadfast::runtime
