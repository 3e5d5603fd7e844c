#pragma once

#include "runtime/node/node_inside.hpp"
#include "runtime/text/address.hpp"
#include "tests/support/fast_place.hpp"
#include "tests/support/temp_folder.hpp"

#include <nlohmann/json.hpp>

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace steadfast::tests {

struct http_answer {
  unsigned status = 0;                        ///< 0: the connection ended without an answer
  std::map<std::string, std::string> headers; ///< by their names in small letters
  std::string body;

  nlohmann::json json() const { return nlohmann::json::parse(body); }
  std::string code() const { return json().at("code"); }
  std::string field() const { return json().value("field", ""); }
};

using http_headers = std::map<std::string, std::string>;

/// What is listening on that port of 127.0.0.1 says.
http_answer ask_at(std::uint16_t port, const std::string& verb, const std::string& target, const std::string& body = {},
                   const http_headers& headers = {});

/// A node in this process with an HTTP API, and a client of it. Its workflow "trip" has one step by "taxi", which ends
/// when the test says so.
class http_node {
public:
  explicit http_node(const http_server_options& o = {}, std::function<void(const temp_folder&)> prepare = {});
  ~http_node();
  http_node(const http_node&) = delete;
  http_node& operator=(const http_node&) = delete;

  http_answer ask(const std::string& verb, const std::string& target, const std::string& body = {},
                  const http_headers& headers = {}) const;
  http_answer get(const std::string& target, const http_headers& headers = {}) const {
    return ask("GET", target, {}, headers);
  }
  http_answer put_trip(const std::string& id, const std::string& more = {}) const {
    return ask("PUT", "/v1/tasks/" + id + more, R"({"workflow":"trip","payload":{"guest":"ann"}})");
  }
  /// Sends these bytes and reads until the other end closes, or this long.
  std::string say(const std::string& bytes, std::chrono::milliseconds limit = std::chrono::seconds{10}) const;

  /// The step succeeds with this; further ones at once.
  void let_end();
  void stop() { running_.stop(); }
  /// Stops it, and starts it again with the same store and port.
  void restart();
  void reload_certificates() { running_.reload_certificates(); }
  std::uint16_t port() const { return port_; }
  const temp_folder& folder() const { return folder_; }

private:
  struct gate {
    std::mutex mutex;
    std::condition_variable changed;
    bool is_open = false;
  };

  temp_folder folder_{fast_place()};
  std::uint16_t port_ = runtime::free_ports(1).front();
  std::shared_ptr<gate> gate_ = std::make_shared<gate>();
  assembled_node running_;
};

/// An open connection, such as one for events.
class http_listener {
public:
  http_listener(const http_node& n, const std::string& target, const http_headers& headers = {});
  /// From that address of this host: of 127.0.0.0/8. Nothing is said yet.
  static http_listener from(const std::string& address, const http_node& n);
  http_listener(http_listener&&) noexcept;
  ~http_listener();
  http_listener(const http_listener&) = delete;
  http_listener& operator=(const http_listener&) = delete;

  void say(const std::string& bytes);
  /// The next text up to and with `end`; what came before the end of the connection, if it ends.
  std::string next(const std::string& end = "\n\n");
  /// The next event; what only sets the id is passed over. Its kind is empty when the connection has ended.
  struct event {
    std::string id;
    std::string kind;
    nlohmann::json data;
  };
  event next_event();

private:
  struct connection;
  http_listener();
  std::unique_ptr<connection> connection_;
};

} // namespace steadfast::tests
