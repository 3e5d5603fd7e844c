#pragma once

#include "runtime/configuration/http_server_options.hpp"
#include "runtime/control/control_server.hpp"
#include "runtime/events/change_watch.hpp"
#include "runtime/http/messages/http_message.hpp"
#include "runtime/logging/log.hpp"
#include "workflow/time/time.hpp"

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace steadfast::runtime {

/// What the API of a node is made of.
struct http_api_parts {
  http_server_options options;
  std::shared_ptr<const control_methods> methods;
  std::function<http_response()> metrics;                   ///< for Prometheus; may block
  std::function<std::string()> store_trouble;               ///< why it takes no writes; empty: it does; may block
  std::string version;                                      ///< of the node
  std::function<workflow::instant()> clock;                 ///< of this host
  std::function<workflow::instant()> clock_of_store;        ///< may block
  std::function<void(std::function<void()>)> on_pool;       ///< runs it on a thread that may be blocked
  std::function<void(std::function<void()>)> on_slow_pool;  ///< likewise, what asks other nodes or reads much
  std::function<void(std::function<void()>)> for_readiness; ///< likewise, whether the node is ready
  /// Runs it once that time has passed.
  std::function<void(std::chrono::milliseconds, std::function<void()>)> later;
  std::function<void(const log_entry&)> audit;
};

/// The methods of a node as an HTTP API (docs/http.md): who may ask, what the request means, what the answer is.
class http_api {
public:
  /// Throws config_error if the file of tokens is wrong.
  explicit http_api(http_api_parts p);
  ~http_api();
  http_api(const http_api&) = delete;
  http_api& operator=(const http_api&) = delete;

  /// Does not block.
  void answer(http_request r, http_reply reply) const;

  /// The answer to one of which only the header was read, if its body need not be: nobody known sends it.
  std::optional<http_response> why_no_body(const http_request& header) const;

  /// To be called now and then: saves when tokens were used last, and tells of callers that are not known.
  void keep_up() const;

  /// Takes which tasks have changed, on any thread, also after the end.
  changes_listener changes() const;

  /// Who waits for a task, or follows one, is let go.
  void close() const;

private:
  class implementation;
  std::shared_ptr<implementation> impl_;
};

} // namespace steadfast::runtime
