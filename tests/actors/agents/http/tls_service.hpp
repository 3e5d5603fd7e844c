#pragma once

#include "tests/actors/agents/http/talking_service.hpp"

#include <openssl/ssl.h>

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace steadfast::tests {

/// A key and a certificate for it.
struct identity {
  std::shared_ptr<EVP_PKEY> key;
  std::shared_ptr<X509> certificate;

  void write(const std::filesystem::path& file) const; ///< the certificate, as PEM
};

identity new_authority();
/// `names`: as openssl.cnf writes them, "DNS:host,IP:127.0.0.1". `days`: until it ends.
identity new_server(const identity& authority, const std::string& names, int days = 1);

/// The server's end of TLS, on a talk or within another one.
class tls_talk {
public:
  using bytes_from = std::function<std::string()>;
  using bytes_to = std::function<void(std::string_view)>;

  /// `version_max`: of the protocol, such as TLS1_1_VERSION; 0: the highest that there is.
  tls_talk(const identity& who, bytes_from from, bytes_to to, int version_max = 0);

  bool shake_hands();
  std::string asked_for() const; ///< the name by SNI; empty: none
  /// What has come; empty: the other end hung up.
  std::string hear();
  std::string hear_until(std::string_view end);
  void say(std::string_view plain);
  void end(); ///< says that nothing more comes

private:
  bool is_fed();
  void pump_out();

  bytes_from from_;
  bytes_to to_;
  std::shared_ptr<SSL_CTX> context_;
  std::shared_ptr<SSL> session_;
};

/// Of a talk.
inline tls_talk tls_over(const talk& t, const identity& who, int version_max = 0) {
  return {who, [&t] { return t.hear(); }, [&t](std::string_view bytes) { t.say(bytes); }, version_max};
}

} // namespace steadfast::tests
