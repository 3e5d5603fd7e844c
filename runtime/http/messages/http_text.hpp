#pragma once

#include "runtime/http/messages/http_message.hpp"

#include <nlohmann/json.hpp>

#include <chrono>
#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// The texts of HTTP: targets, hosts, problems.

namespace steadfast::runtime {

/// The target of a request, decoded (RFC 3986).
struct http_target {
  std::vector<std::string> segments; ///< of the path
  std::vector<std::pair<std::string, std::string>> query;

  /// The last of that name.
  std::optional<std::string> find(std::string_view name) const;
};

/// Nothing: it is no path, or has a wrong escape or a zero byte.
std::optional<http_target> parse_target(std::string_view target);

struct absolute_target {
  std::string authority; ///< the host, and maybe a port
  std::string target;    ///< path and query
};
/// Of "http://host/path" (RFC 9112, 3.2.2). Nothing: it has no such form.
std::optional<absolute_target> parse_absolute(std::string_view target);

/// The host without its port, in small letters: of a Host header, or of an origin without its scheme.
std::string host_of(std::string_view text);

/// "Sun, 06 Nov 1994 08:49:37 GMT" (RFC 9110, 5.6.7)
std::string http_date(std::chrono::system_clock::time_point t);

/// When to come again, where nobody knows better.
inline constexpr std::chrono::milliseconds busy_wait{1000};

/// What went wrong, as problem details (RFC 9457). `code` never changes: programs tell problems apart by it.
struct http_problem {
  unsigned status = 500;
  std::string code;
  std::string detail{};
  std::string field{};                      ///< the parameter, or the header, that is wrong; empty: none alone
  std::chrono::milliseconds retry_after{0}; ///< 0: nothing is known
};
/// What a thrown error means to a client.
http_problem problem_of(const std::exception_ptr& thrown);
nlohmann::json json_of(const http_problem& p);
http_response response_of(const http_problem& p);
/// The same as it is sent over a connection that then ends, where nothing of the request was read.
std::string last_words(const http_problem& p);

/// The words of a status: "Not Found".
std::string reason_of(unsigned status);

/// For an If-None-Match (RFC 9110, 8.8.3): it is the same whenever the text is. Weak, for the answer may be compressed.
std::string entity_tag(std::string_view body);
/// Whether an If-None-Match names the tag, weak or not.
bool names_tag(std::string_view header, std::string_view tag);

/// Whether an Accept-Encoding takes gzip.
bool takes_gzip(std::string_view header);
/// RFC 1952.
std::string gzipped(std::string_view text);

} // namespace steadfast::runtime
