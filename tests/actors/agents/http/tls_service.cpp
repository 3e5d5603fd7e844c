#include "tests/actors/agents/http/tls_service.hpp"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <array>
#include <cstdio>
#include <utility>

namespace steadfast::tests {

namespace {

void must(bool worked) {
  REQUIRE(worked);
}

void add_extension(X509* c, X509* issuer, int kind, const std::string& value) {
  X509V3_CTX parties{};
  X509V3_set_ctx(&parties, issuer, c, nullptr, nullptr, 0);
  auto* const made = X509V3_EXT_conf_nid(nullptr, &parties, kind, value.c_str());
  must(made != nullptr && X509_add_ext(c, made, -1) == 1);
  X509_EXTENSION_free(made);
}

identity unsigned_identity(const std::string& name, int days) {
  identity made{{EVP_EC_gen("P-256"), EVP_PKEY_free}, {X509_new(), X509_free}};
  auto* const c = made.certificate.get();
  static long serial = 0;
  must(made.key && c && X509_set_version(c, X509_VERSION_3) == 1 && X509_set_pubkey(c, made.key.get()) == 1
       && ASN1_INTEGER_set(X509_get_serialNumber(c), ++serial) == 1
       && X509_time_adj_ex(X509_getm_notBefore(c), -10, 0, nullptr) != nullptr
       && X509_time_adj_ex(X509_getm_notAfter(c), days, 0, nullptr) != nullptr
       && X509_NAME_add_entry_by_txt(X509_get_subject_name(c), "CN", MBSTRING_UTF8,
                                     reinterpret_cast<const unsigned char*>(name.c_str()), -1, -1, 0)
            == 1);
  return made;
}

void sign(const identity& what, const identity& by) {
  must(X509_set_issuer_name(what.certificate.get(), X509_get_subject_name(by.certificate.get())) == 1
       && X509_sign(what.certificate.get(), by.key.get(), EVP_sha256()) > 0);
}

} // namespace

void identity::write(const std::filesystem::path& file) const {
  const std::unique_ptr<FILE, int (*)(FILE*)> to{std::fopen(file.c_str(), "w"), std::fclose};
  must(to && PEM_write_X509(to.get(), certificate.get()) == 1);
}

identity new_authority() {
  auto made = unsigned_identity("An authority of tests", 10);
  add_extension(made.certificate.get(), made.certificate.get(), NID_basic_constraints, "critical,CA:TRUE");
  sign(made, made);
  return made;
}

identity new_server(const identity& authority, const std::string& names, int days) {
  auto made = unsigned_identity("A server of tests", days);
  add_extension(made.certificate.get(), authority.certificate.get(), NID_subject_alt_name, names);
  sign(made, authority);
  return made;
}

tls_talk::tls_talk(const identity& who, bytes_from from, bytes_to to, int version_max)
    : from_{std::move(from)},
      to_{std::move(to)},
      context_{SSL_CTX_new(TLS_server_method()), SSL_CTX_free} {
  SSL_CTX_set_security_level(context_.get(), 0); // so that it can speak old versions
  SSL_CTX_set_min_proto_version(context_.get(), TLS1_VERSION);
  SSL_CTX_set_max_proto_version(context_.get(), version_max);
  SSL_CTX_use_certificate(context_.get(), who.certificate.get());
  SSL_CTX_use_PrivateKey(context_.get(), who.key.get());
  session_ = {SSL_new(context_.get()), SSL_free};
  SSL_set_bio(session_.get(), BIO_new(BIO_s_mem()), BIO_new(BIO_s_mem()));
  SSL_set_accept_state(session_.get());
}

/// False: the other end hung up.
bool tls_talk::is_fed() {
  const auto more = from_();
  return !more.empty() && BIO_write(SSL_get_rbio(session_.get()), more.data(), static_cast<int>(more.size())) > 0;
}

void tls_talk::pump_out() {
  std::array<char, 65536> bytes; // NOLINT: it is filled before it is read
  for (int n = 0; (n = BIO_read(SSL_get_wbio(session_.get()), bytes.data(), static_cast<int>(bytes.size()))) > 0;)
    to_({bytes.data(), static_cast<std::size_t>(n)});
}

bool tls_talk::shake_hands() {
  for (;;) {
    ERR_clear_error();
    const int done = SSL_do_handshake(session_.get());
    const auto wants = SSL_get_error(session_.get(), done);
    pump_out();
    if (done == 1)
      return true;
    if (wants != SSL_ERROR_WANT_READ || !is_fed())
      return false;
  }
}

std::string tls_talk::asked_for() const {
  const char* name = SSL_get_servername(session_.get(), TLSEXT_NAMETYPE_host_name);
  return name == nullptr ? "" : name;
}

std::string tls_talk::hear() {
  std::array<char, 16384> plain; // NOLINT: it is filled before it is read
  for (;;) {
    ERR_clear_error();
    const int n = SSL_read(session_.get(), plain.data(), static_cast<int>(plain.size()));
    const auto wants = SSL_get_error(session_.get(), n);
    pump_out();
    if (n > 0)
      return {plain.data(), static_cast<std::size_t>(n)};
    if (wants != SSL_ERROR_WANT_READ || !is_fed())
      return {};
  }
}

std::string tls_talk::hear_until(std::string_view end) {
  std::string all;
  while (!all.ends_with(end)) {
    const auto more = hear();
    if (more.empty())
      break;
    all += more;
  }
  return all;
}

void tls_talk::say(std::string_view plain) {
  SSL_write(session_.get(), plain.data(), static_cast<int>(plain.size()));
  pump_out();
}

void tls_talk::end() {
  SSL_shutdown(session_.get());
  pump_out();
}

} // namespace steadfast::tests
