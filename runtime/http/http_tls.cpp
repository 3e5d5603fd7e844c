#include "runtime/http/http_tls.hpp"

#include "runtime/tls/certificate.hpp"
#include "runtime/tls/pem_files.hpp"

#include <openssl/ssl.h>
#include <openssl/x509.h>

#include <chrono>

namespace steadfast::runtime {

namespace {

constexpr unsigned char session_context[] = "steadfast http"; // without one, OpenSSL refuses clients with certificates

} // namespace

std::shared_ptr<boost::asio::ssl::context> make_tls(const http_server_options& o) {
  auto made = std::make_shared<boost::asio::ssl::context>(careful_context());
  use_certificate(*made, "http.", o.certificate, o.key);
  SSL_CTX_set_session_id_context(made->native_handle(), session_context, sizeof session_context - 1);
  if (o.authority.empty())
    return made;
  use_authority(*made, "http.", o.authority);
  SSL_CTX_set_client_CA_list(made->native_handle(), SSL_load_client_CA_file(o.authority.c_str()));
  made->set_verify_mode(boost::asio::ssl::verify_peer); // whoever shows none may have a token
  return made;
}

std::string why_untimely(const http_server_options& o) {
  return o.has_certificate() ? why_untimely(o, *make_tls(o)) : std::string{};
}

std::string why_untimely(const http_server_options& o, boost::asio::ssl::context& made) {
  const auto own = facts_of(SSL_CTX_get0_certificate(made.native_handle()));
  const auto why = why_untimely(own, std::chrono::system_clock::now());
  return why.empty() ? why : "http.certificate: " + o.certificate.string() + " " + why + ": clients refuse it";
}

std::string checked_name(SSL* connection) {
  auto* const shown = SSL_get1_peer_certificate(connection);
  if (shown == nullptr)
    return {};
  std::string name(256, '\0');
  const auto size = SSL_get_verify_result(connection) == X509_V_OK ? X509_NAME_get_text_by_NID(
                      X509_get_subject_name(shown), NID_commonName, name.data(), static_cast<int>(name.size()))
                                                                   : -1;
  X509_free(shown);
  name.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
  return name;
}

} // namespace steadfast::runtime
