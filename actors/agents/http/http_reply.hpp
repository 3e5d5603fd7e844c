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
  std::string happened; ///< Steadfast-Happened: a probe's word, "yes" or "no"
};

/// The meaning of a reply: 2xx succeeded; otherwise by the configured classes, of which the transient ones win, and
/// anything that is in neither is transient. Only 429 says that nothing was done among the transient ones: a service
/// may fail after it acted (RFC 9110, RFC 6585). 408, 499, 502 to 504 and the codes above 511 are what proxies and
/// gateways say when they did not hear the service out: the answer is then unsettled, in whatever class they are.
///
/// To a probe, 2xx and 404 with the word no mean that it did not happen: the header Steadfast-Happened, or else a
/// member `happened` of the body that is false. A 404 without it is no answer: a path that is wrong says that too.
answer answer_of(const http_reply& r, const http_options& o, workflow::attempt_action action, workflow::instant now);

/// "5xx" or "503" against a status.
bool matches(const std::string& status_class, long status);

} // namespace steadfast::actors
