#pragma once

#include "actors/agents/agent_function.hpp"
#include "actors/agents/agent_options.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

namespace steadfast::actors {

constexpr std::size_t headers_max = 64 << 10; ///< bytes of headers in an answer, and of all interim answers before it

/// What came back over HTTP.
struct http_reply {
  long status = 0;
  std::string body;
  // Header values, empty when absent.
  std::string retry_after;
  std::string happened; ///< Steadfast-Happened: the answer to a probe, "yes" or "no"
};

/// The meaning of a reply. 2xx succeeded; otherwise the configured classes decide. The transient ones take precedence,
/// and a status in neither class is transient. Of the transient codes only 429 says that nothing was done: a service
/// may fail after it acted (RFC 9110, RFC 6585). Proxies and gateways answer 408, 499, 502 to 504 and codes above 511
/// when they did not wait for the service: then the answer is unsettled, whatever its class.
///
/// In answer to a probe, 2xx or 404 with an explicit no means that it did not happen: the header Steadfast-Happened, or
/// else a member `happened` of the body that is false. A 404 without that is no answer: a wrong path gives it too.
answer answer_of(const http_reply& r, const http_options& o, workflow::attempt_action action, workflow::instant now,
                 bool may_end_later = false);

/// How a call ended for which no answer could be read.
struct broken_call {
  enum class cause {
    refused_address, ///< an address where clouds keep credentials
    not_connected,   ///< the reason is in `words`
    lost,            ///< the connection was lost before the answer was whole
    no_http,
    large_headers,
    large_body,
  };
  cause why = cause::lost;
  std::string words; ///< with not_connected
  /// Bytes of the request that the system accepted for sending. None: nothing can have reached the service.
  std::size_t sent = 0;
};

answer answer_of(const broken_call& b, const http_options& o, std::uint64_t result_size_max);

/// Whether a class such as "5xx", or a code such as "503", matches the status.
bool matches(const std::string& status_class, long status);

} // namespace steadfast::actors
