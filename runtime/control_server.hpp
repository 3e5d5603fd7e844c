#pragma once

#include <nlohmann/json.hpp>

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>

namespace steadfast {

/// What a method answers instead of a result; numbers are part of docs/control-channel.md.
class control_error : public std::runtime_error {
public:
  enum code : int { invalid_params = -32602, refused = 1, busy = 2, timed_out = 3, not_found = 4 };
  control_error(code c, const std::string& what, std::chrono::milliseconds retry_after = {})
      : std::runtime_error{what},
        code_{c},
        retry_after_{retry_after} {}
  code number() const { return code_; }
  std::chrono::milliseconds retry_after() const { return retry_after_; }

private:
  code code_;
  std::chrono::milliseconds retry_after_;
};

using control_method = std::function<nlohmann::json(const nlohmann::json& params)>;
using control_methods = std::map<std::string, control_method>;

struct control_options {
  std::filesystem::path socket;
  std::size_t frame_max = 4 << 20; ///< bytes of one request
  std::size_t connections_max = 256;
  std::size_t threads = 4; ///< that run methods
};

/// JSON-RPC 2.0 over a Unix-domain socket, one request or answer a line. Only processes of the same user (and root) are
/// served. Methods run on a small pool of threads; requests of one connection are answered in order.
class control_server {
public:
  /// Throws std::runtime_error with the cause: another node listens there, no permission, path too long.
  control_server(const control_options& options, control_methods methods);
  ~control_server();
  control_server(const control_server&) = delete;
  control_server& operator=(const control_server&) = delete;

private:
  class implementation;
  std::unique_ptr<implementation> impl_;
};

} // namespace steadfast
