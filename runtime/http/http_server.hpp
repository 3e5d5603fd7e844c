#pragma once

#include "runtime/assembly/http_figures.hpp"
#include "runtime/configuration/http_server_options.hpp"
#include "runtime/control/control_server.hpp"
#include "runtime/events/change_watch.hpp"
#include "runtime/logging/log.hpp"
#include "workflow/time/time.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace steadfast::runtime {

/// What a server tells, and to whom.
struct http_content {
  control_methods methods;
  std::function<std::string()> metrics{}; ///< for Prometheus; may block
  /// Why the store takes no writes; empty: it takes them. May block.
  std::function<std::string()> store_trouble = [] { return std::string{}; };
  /// Gets an entry about each request that changes something, but a submission, and about callers that are not known.
  std::function<void(const log_entry&)> audit = [](const log_entry&) {};
  std::function<workflow::instant()> clock{}; ///< of the store; may block
  std::shared_ptr<http_figures> figures = std::make_shared<http_figures>();
};

/// The HTTP API of a node, on a port: HTTP/1.1 (RFC 9112), with TLS 1.2 or 1.3 if there is a certificate. One thread
/// has all connections; methods that wait are called on others, and those that ask other nodes or read much of the
/// store on others again, so that nobody waits behind these. Header, body, time and connections are limited
/// (docs/limits.md), so slow clients only cost themselves something.
class http_server {
public:
  /// Throws node_error with the cause: another process listens there, a file is missing or wrong.
  http_server(const http_server_options& options, http_content content);
  /// Waits for the answers of calls under way.
  ~http_server();
  http_server(const http_server&) = delete;
  http_server& operator=(const http_server&) = delete;

  std::uint16_t port() const;

  /// New connections are made with the files as they are now; on a mistake with those before, and throws node_error.
  void reload_certificates();

  /// Takes which tasks have changed, on any thread, also after the end of the server.
  changes_listener changes() const;

  /// Nobody can connect or ask any more; who waits for a task is told so, calls under way are still answered.
  void close();
  /// After close(). False: some call was not answered within that time.
  bool wait_for_calls(std::chrono::milliseconds limit);

private:
  class implementation;
  std::unique_ptr<implementation> impl_;
};

/// Why no server can be made of these: files that are missing or wrong, a sentence each.
std::vector<std::string> file_problems(const http_server_options& o);

} // namespace steadfast::runtime
