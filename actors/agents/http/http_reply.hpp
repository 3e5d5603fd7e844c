#pragma once

#include "actors/agents/agent_function.hpp"
#include "actors/agents/agent_options.hpp"

#include <string>

namespace steadfast::actors {

/// What came back over HTTP.
struct http_reply {
  long status = 0;
  std::string body;
  // Header values, empty when absent.
  std::string retry_after;
  std::string happened; ///< Steadfast-Happened: the answer to a probe, "yes" or "no"
};

/// The meaning of a reply: 2xx succeeded; otherwise by the configured classes. The transient ones win, and what is in
/// neither class is transient. Of the transient codes only 429 says that nothing was done: a service may fail after it
/// acted (RFC 9110, RFC 6585). Proxies and gateways answer 408, 499, 502 to 504 and the codes above 511 when they did
/// not wait for the service: then the answer is unsettled, whatever the class.
///
/// In answer to a probe, 2xx and 404 with an explicit no mean that it did not happen: the header Steadfast-Happened, or
/// else a member `happened` of the body that is false. A 404 without it is no answer: a wrong path gives that too.
answer answer_of(const http_reply& r, const http_options& o, workflow::attempt_action action, workflow::instant now,
                 bool may_end_later = false);

/// "5xx" or "503" against a status.
bool matches(const std::string& status_class, long status);

} // namespace steadfast::actors
