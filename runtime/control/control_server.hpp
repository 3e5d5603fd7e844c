#pragma once

#include "api/error.hpp"

#include <nlohmann/json.hpp>

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <type_traits>

namespace steadfast {

/// Gives the result, or throws as a method does. Called at most once, by the thread that has the answer.
using control_answer = std::function<nlohmann::json()>;
using control_reply = std::function<void(const control_answer& answer)>;

/// What a client may call. Either it returns the result, and its thread is busy until then, or it replies later, from
/// any thread. Throws api::error; anything else that it throws is reported as a fault of the node.
class control_method {
public:
  control_method() = default;
  template <class F>
  requires std::is_invocable_r_v<nlohmann::json, F&, const nlohmann::json&>
  control_method(F gives_result) // NOLINT(google-explicit-constructor): so that a lambda is a method
      : run_{[gives_result](const nlohmann::json& params, const control_reply& reply) {
          reply([&] { return gives_result(params); });
        }} {}
  template <class F>
  requires std::is_invocable_v<F&, const nlohmann::json&, const control_reply&>
  control_method(F replies) // NOLINT(google-explicit-constructor): likewise
      : run_{replies} {}

  void operator()(const nlohmann::json& params, const control_reply& reply) const { run_(params, reply); }
  /// Waits for the result.
  nlohmann::json operator()(const nlohmann::json& params) const;

private:
  std::function<void(const nlohmann::json&, const control_reply&)> run_;
};
using control_methods = std::map<std::string, control_method>;

struct control_options {
  std::filesystem::path socket;
  std::size_t frame_max = 4 << 20; ///< bytes of one request
  std::size_t unfinished_max =
    32 << 20; ///< bytes of requests that have not come to their end, of all connections together
  std::size_t connections_max = 256;
  std::size_t connections_of_process_max = 192; ///< so that one process leaves places for others
  std::chrono::milliseconds idle_enough{1000}; ///< a connection idle for so long may be closed to make room for another
  std::size_t threads = 4;                     ///< that begin methods
};

/// JSON-RPC 2.0 over a Unix-domain socket, one request or answer a line. Only processes of the same user (and root) are
/// served. Methods begin on a small pool of threads; requests of one connection are answered in order. When all places
/// are taken, the connection that has been idle for longest is closed. If none is idle, or the process has no
/// descriptor left, the new one is answered `busy`.
class control_server {
public:
  /// Throws std::runtime_error with the cause: another node listens there, no permission, path too long.
  control_server(const control_options& options, control_methods methods);
  /// Waits for the answers of calls under way.
  ~control_server();
  control_server(const control_server&) = delete;
  control_server& operator=(const control_server&) = delete;

  /// Nobody can connect or ask any more; calls under way are still answered.
  void close();
  /// After close(). False: some call was not answered within that time.
  bool wait_for_calls(std::chrono::milliseconds limit);

private:
  class implementation;
  std::unique_ptr<implementation> impl_;
};

} // namespace steadfast
