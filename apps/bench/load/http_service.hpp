#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

namespace steadfast::bench {

/// The smallest possible service for an HTTP agent: answers every request with the same body, on connections that stay
/// open, on a thread of its own. So the agent is measured, not a service.
class http_service {
public:
  /// On a free port of 127.0.0.1; with TLS, if there is a folder with the certificate of `localhost`.
  explicit http_service(std::string body, const std::filesystem::path& certificates = {});
  ~http_service();
  http_service(const http_service&) = delete;
  http_service& operator=(const http_service&) = delete;

  std::uint16_t port() const;

private:
  class implementation;
  std::unique_ptr<implementation> impl_;
};

} // namespace steadfast::bench
