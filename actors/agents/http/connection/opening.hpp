#pragma once

#include "actors/agents/url.hpp"

#include <memory>
#include <string>
#include <string_view>

namespace steadfast::actors {

/// What both ends of a connection say, as bytes, before requests can go over it: to a proxy, or to set up TLS.
class opening {
public:
  enum class state { goes_on, is_open, has_failed };

  opening() = default;
  opening(const opening&) = delete;
  opening& operator=(const opening&) = delete;
  virtual ~opening() = default;

  /// Takes what has come from `in`, and adds what is to be sent to `out`. At the first call nothing has come yet. Once
  /// it is open, what is left in `in` belongs to what follows.
  virtual state go_on(std::string& in, std::string& out) = 0;
  /// Why it has failed.
  virtual std::string fault() const = 0;
};

/// A way through a proxy to that host and port: by CONNECT, or by SOCKS 4a or 5, as the scheme of its URL says. The
/// proxy looks up the name of the host.
std::unique_ptr<opening> open_tunnel(const web_url& proxy, const web_url& to);

} // namespace steadfast::actors
