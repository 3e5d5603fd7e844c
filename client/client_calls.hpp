#pragma once

#include "steadfast/client.hpp"

#include <nlohmann/json.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

// The calls of clients, over the control channel or in the node's own process.

namespace steadfast {

/// Returns the result of a method, or throws client_error.
using ask_node = std::function<nlohmann::json(const std::string& method, const nlohmann::json& params)>;

/// What a client gets instead of a result: an error of api/error.hpp, by its number.
client_error error_of(std::int64_t number, const std::string& message, std::chrono::milliseconds retry_after);

/// What `read` finds in the node's answer; throws client_error if the answer is something else.
template <class Read>
auto understood(Read read) {
  try {
    return read();
  } catch (const nlohmann::json::exception& e) {
    throw client_error{client_error::kind::unreachable,
                       std::string{"what listens there gives answers that are none of a node: "} + e.what()};
  }
}

submitted submit(const ask_node& ask, const std::string& workflow, const std::string& payload,
                 const submit_options& options);
std::string wait(const ask_node& ask, const std::string& id, std::chrono::milliseconds limit);
nlohmann::json show(const ask_node& ask, const std::string& id);
nlohmann::json result(const ask_node& ask, const std::string& id);
void complete_step(const ask_node& ask, const std::string& token, const std::string& result);
void fail_step(const ask_node& ask, const std::string& token, const step_failure& how);
void extend_step(const ask_node& ask, const std::string& token, const std::string& progress,
                 std::chrono::milliseconds length);
std::uint64_t send_event(const ask_node& ask, const std::string& name, const std::string& key, const std::string& data,
                         const std::string& who, const std::string& id);
bool put_schedule(const ask_node& ask, const schedule& s, const std::string& who, const std::string& why);

} // namespace steadfast
