#include "actors/agents/http/connection/tls.hpp"

#include <boost/asio/ip/address.hpp>

#include <openssl/err.h>
#include <openssl/x509v3.h>

#include <array>
#include <cstddef>

namespace steadfast::actors {

namespace {

constexpr std::size_t record_size = 16 << 10;
constexpr unsigned char http_1_1[] = {8, 'h', 't', 't', 'p', '/', '1', '.', '1'}; // ALPN (RFC 7301)

std::string words_of_openssl(const char* otherwise) {
  const auto code = ERR_peek_last_error();
  ERR_clear_error();
  const char* reason = code == 0 ? nullptr : ERR_reason_error_string(code);
  return reason == nullptr ? otherwise : reason;
}

} // namespace

tls_context make_tls_context(const std::string& ca_file, std::string& fault) {
  ERR_clear_error();
  tls_context made{SSL_CTX_new(TLS_client_method()), SSL_CTX_free};
  if (!made) {
    fault = words_of_openssl("there is no TLS");
    return made;
  }
  SSL_CTX_set_min_proto_version(made.get(), TLS1_2_VERSION);
  SSL_CTX_set_verify(made.get(), SSL_VERIFY_PEER, nullptr);
  SSL_CTX_set_options(made.get(), SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION);
  SSL_CTX_set_alpn_protos(made.get(), http_1_1, sizeof http_1_1);
  const bool has_authorities = ca_file.empty()
                                 ? SSL_CTX_set_default_verify_paths(made.get()) == 1
                                 : SSL_CTX_load_verify_locations(made.get(), ca_file.c_str(), nullptr) == 1;
  if (has_authorities)
    return made;
  fault = (ca_file.empty() ? "the system's certificates" : "ca_file " + ca_file)
          + " cannot be read: " + words_of_openssl("unknown");
  return nullptr;
}

tls_layer::tls_layer(const tls_context& context, const std::string& host)
    : session_{SSL_new(context.get()), SSL_free},
      from_server_{BIO_new(BIO_s_mem())},
      to_server_{BIO_new(BIO_s_mem())} {
  SSL_set_bio(session_.get(), from_server_, to_server_);
  SSL_set_connect_state(session_.get());
  auto* const checks = SSL_get0_param(session_.get());
  boost::system::error_code is_name;
  boost::asio::ip::make_address(host, is_name);
  const auto bare = host.substr(0, host.find('%'));
  if (is_name) {
    SSL_set_tlsext_host_name(session_.get(), host.c_str());
    X509_VERIFY_PARAM_set_hostflags(checks, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
    X509_VERIFY_PARAM_set1_host(checks, host.data(), host.size());
  } else {
    X509_VERIFY_PARAM_set1_ip_asc(checks, bare.c_str());
  }
}

void tls_layer::take_output(std::string& out) {
  char* bytes = nullptr;
  const auto size = BIO_get_mem_data(to_server_, &bytes);
  if (size > 0)
    out.append(bytes, static_cast<std::size_t>(size));
  BIO_reset(to_server_);
}

opening::state tls_layer::go_on(std::string& in, std::string& out) {
  ERR_clear_error();
  BIO_write(from_server_, in.data(), static_cast<int>(in.size()));
  in.clear(); // what the server says next is in the session
  const int done = SSL_do_handshake(session_.get());
  const auto wants = SSL_get_error(session_.get(), done);
  take_output(out); // also the alert that tells it why not
  if (done == 1)
    return state::is_open;
  if (wants == SSL_ERROR_WANT_READ)
    return state::goes_on;
  const auto verified = SSL_get_verify_result(session_.get());
  fault_ = verified != X509_V_OK ? "its certificate is refused: " + std::string{X509_verify_cert_error_string(verified)}
                                 : "TLS failed: " + words_of_openssl("the connection ended");
  return state::has_failed;
}

tls_layer::reading tls_layer::read(std::string_view in, std::string& plain, std::string& out) {
  ERR_clear_error();
  BIO_write(from_server_, in.data(), static_cast<int>(in.size()));
  std::array<char, record_size> part; // NOLINT: it is filled before it is read
  int size = 0;
  while ((size = SSL_read(session_.get(), part.data(), static_cast<int>(part.size()))) > 0)
    plain.append(part.data(), static_cast<std::size_t>(size));
  const auto wants = SSL_get_error(session_.get(), size);
  take_output(out);
  ERR_clear_error();
  if (wants == SSL_ERROR_WANT_READ)
    return reading::goes_on;
  return wants == SSL_ERROR_ZERO_RETURN ? reading::has_ended : reading::is_broken;
}

/// What is written to memory is always written as a whole.
void tls_layer::write(std::string_view plain, std::string& out) {
  ERR_clear_error();
  std::size_t written = 0;
  SSL_write_ex(session_.get(), plain.data(), plain.size(), &written);
  take_output(out);
}

} // namespace steadfast::actors
