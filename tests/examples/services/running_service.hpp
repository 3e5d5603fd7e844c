#pragma once

#include "tests/support/comes_true.hpp"
#include "tests/support/temp_folder.hpp"

#include <httplib.h>
#include <nlohmann/json.hpp>

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include <sys/types.h>

namespace tests {

using json = nlohmann::json;
using steadfast::tests::comes_true;
using steadfast::tests::temp_folder;

/// How long anything may take before a test fails.
inline constexpr std::chrono::seconds patience{30};

/// What came back; status 0 when nothing did.
struct response {
  int status = 0;
  json body;
  std::string retry_after;
};

/// Steadfast's headers for one request.
struct request {
  std::string key = "task-1/step";
  std::string action = "do";
  std::string reverses;
  json body = json::object();
  int attempt = 1;
  int attempt_try = 1;
  int time_left_ms = 0; ///< 0: not said
};

/// A service as a process of its own, on a free port.
class running_service {
public:
  running_service(std::string name, const temp_folder& data, std::vector<std::string> options = {});
  ~running_service();
  running_service(const running_service&) = delete;
  running_service& operator=(const running_service&) = delete;

  /// The forward operation, the undo, or the probe of `key`.
  response perform(const std::string& key, const json& body) const;
  response undo(const std::string& key, const json& body = json::object()) const;
  response probe(const std::string& key) const;
  response post(const std::string& path, const request& r, std::chrono::milliseconds limit = patience) const;
  response post_plain(const std::string& path, const std::string& body, const httplib::Headers& headers = {}) const;
  response get(const std::string& path) const;

  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }
  std::string operation_path() const;

  /// Results in the effect log, in its order, as "do created"; all of them or those of one key.
  std::vector<std::string> logged(const std::string& key = {}) const;
  std::vector<json> log_lines() const;
  std::filesystem::path log_path() const { return log_path_; }

  int terminate(); ///< SIGTERM; the answer is the exit code
  void kill();     ///< SIGKILL

private:
  void read_port(int output);
  int reap();

  std::string name_;
  std::filesystem::path log_path_;
  pid_t process_ = -1;
  int port_ = 0;
};

/// Runs the program to its end; the answer is its exit code, and what it printed is added to `output`.
int run_to_end(const std::vector<std::string>& arguments, std::string& output);

} // namespace tests
