#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace steadfast::actors {

/// A URL taken apart (RFC 3986), as far as calls over HTTP and proxies need it.
struct web_url {
  std::string fault; ///< what is wrong with it, quoting none of it; empty: nothing, and the rest is valid
  std::string scheme;
  std::string host; ///< a name, or an IP address without brackets
  std::uint16_t port = 0;
  std::string target; ///< path and query, as a request names them
  std::string user;
  std::string password;
  bool has_port = false;
  bool has_user = false;
  bool has_fragment = false;

  bool is_tls() const { return scheme == "https"; }
  /// Host and port as a request names them: the port only if it is not the default of the scheme.
  std::string authority() const;
  /// The same, always with the port.
  std::string host_and_port() const;
};

web_url read_url(std::string_view text);

} // namespace steadfast::actors
