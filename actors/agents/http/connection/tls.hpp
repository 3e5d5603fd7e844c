#pragma once

#include "actors/agents/http/connection/opening.hpp"

#include <openssl/ssl.h>

#include <memory>
#include <string>
#include <string_view>

namespace steadfast::actors {

using tls_context = std::shared_ptr<SSL_CTX>;

/// TLS 1.2 or 1.3 with servers for which an authority of the file vouches; empty: one of the system's. Without a
/// context, `fault` says why.
tls_context make_tls_context(const std::string& ca_file, std::string& fault);

/// TLS over bytes that somebody else sends and receives. It is open when the server has shown a certificate for `host`,
/// a name or the number of an address, and has proved that it has its key.
class tls_layer : public opening {
public:
  tls_layer(const tls_context& context, const std::string& host);

  state go_on(std::string& in, std::string& out) override;
  std::string fault() const override { return fault_; }

  // When it is open:
  enum class reading { goes_on, has_ended, is_broken };
  /// Adds what came to `plain`, and to `out` what TLS itself has to say. It has ended when the server said so.
  reading read(std::string_view in, std::string& plain, std::string& out);
  void write(std::string_view plain, std::string& out);

private:
  void take_output(std::string& out);

  std::unique_ptr<SSL, void (*)(SSL*)> session_;
  BIO* from_server_ = nullptr; ///< the session's
  BIO* to_server_ = nullptr;   ///< likewise
  std::string fault_;
};

} // namespace steadfast::actors
