#pragma once

#include "actors/agents/http/connection/opening.hpp"

#include <openssl/ssl.h>

#include <memory>
#include <string>
#include <string_view>

namespace steadfast::actors {

using tls_context = std::shared_ptr<SSL_CTX>;

/// TLS 1.2 or 1.3 with servers for which an authority in the file vouches; empty: one of the system's. Null: `fault`
/// says why there is no context.
tls_context make_tls_context(const std::string& ca_file, std::string& fault);

/// TLS over bytes that somebody else sends and receives. It is open once the server has shown a certificate for `host`,
/// which is a name or an IP address, and has proved that it has the key.
class tls_layer : public opening {
public:
  tls_layer(const tls_context& context, const std::string& host);

  state go_on(std::string& in, std::string& out) override;
  std::string fault() const override { return fault_; }

  // When it is open:
  enum class reading { goes_on, has_ended, is_broken };
  /// Adds what came to `plain`, and what TLS itself has to say to `out`. It has ended when the server said so.
  reading read(std::string_view in, std::string& plain, std::string& out);
  void write(std::string_view plain, std::string& out);

private:
  void take_output(std::string& out);

  std::unique_ptr<SSL, void (*)(SSL*)> session_;
  BIO* from_server_ = nullptr; ///< the session owns it
  BIO* to_server_ = nullptr;   ///< the session owns it
  std::string fault_;
};

} // namespace steadfast::actors
