#pragma once

#include "actors/agents/agent_options.hpp"
#include "actors/agents/caller.hpp"
#include "actors/agents/url.hpp"

#include <functional>
#include <string>
#include <string_view>

namespace steadfast::actors {

/// Adds the headers of one call, on the caller's thread.
using add_header = std::function<void(std::string_view name, std::string_view value)>;
using call_headers = std::function<void(const call&, const add_header& add)>;

/// Writes the requests of one caller. What is the same in all of them is composed only once.
class request_text {
public:
  /// `headers`: those of a call. `through_proxy`: the requests go to an HTTP proxy, which passes them on;
  /// `proxy_authorization` tells the proxy who asks (`Proxy-Authorization`; empty: nothing).
  request_text(const http_options& o, const web_url& to, call_headers headers, bool through_proxy = false,
               const std::string& proxy_authorization = {});

  std::string of(const call& c) const;

private:
  std::string head_;
  call_headers headers_;
};

/// "NAME: VALUE" and a line end. The value is sent as it is, except for control characters, which could end the header:
/// they become %XX. Neither ids nor configured values have any. A header without a value is left out.
void add_line(std::string& text, std::string_view name, std::string_view value);

/// The value of `Authorization` or `Proxy-Authorization`.
std::string basic_authorization(const std::string& user, const std::string& password);

} // namespace steadfast::actors
