#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace steadfast {

/// How a node is reached over HTTP, and by whom.
struct http_server_options {
  std::string listen;                ///< host:port; empty: not at all
  std::filesystem::path tokens;      ///< file of `steadfast token create`; empty: whoever reaches the port may do all
  std::filesystem::path certificate; ///< with `key`, PEM: HTTPS
  std::filesystem::path key;
  /// Whoever shows a certificate that it vouches for needs no token.
  std::filesystem::path authority;
  std::vector<std::string> certificate_scopes{"read"}; ///< what those may do
  std::vector<std::string> names;                      ///< further host names by which it is asked
  std::vector<std::string> origins;                    ///< of pages of other hosts that may ask (CORS)
  std::uint32_t connections_max = 1024;
  std::uint32_t rate_max = 0;                      ///< requests a second of one caller; 0: no limit
  std::uint64_t body_size_max = 4 << 20;           ///< bytes of one request
  bool logs_submissions = false;                   ///< who submitted which task, a line each
  std::chrono::milliseconds request_limit{20'000}; ///< for a request to arrive whole
  std::chrono::milliseconds write_limit{30'000};   ///< for a client to take an answer or an event

  bool is_used() const { return !listen.empty(); }
  bool has_certificate() const { return !certificate.empty(); }
};

/// Its mistakes, a sentence each.
std::vector<std::string> problems(const http_server_options& o);

} // namespace steadfast
