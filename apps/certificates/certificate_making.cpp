#include "apps/certificates/certificate_making.hpp"

#include "apps/terminal/failure.hpp"
#include "runtime/tls/certificate.hpp"

#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/x509v3.h>

#include <utility>
#include <vector>

namespace steadfast::apps {
namespace {

constexpr long clock_tolerance = 24L * 60 * 60; // seconds by which the clocks of hosts may differ

using extension_handle = std::unique_ptr<X509_EXTENSION, freed_by<X509_EXTENSION_free>>;
using number_handle = std::unique_ptr<BIGNUM, freed_by<BN_free>>;

void require_crypto(bool worked, const std::string& what) {
  if (!worked)
    throw failure{our_fault, "OpenSSL cannot make " + what + ": " + crypto_reason() + "; is its openssl.cnf sound?"};
}

/// What is certified (NID_*), and in the words of openssl.cnf.
using extensions = std::vector<std::pair<int, std::string>>;

void set_name(X509* c, const std::string& common_name) {
  const auto add = [name = X509_get_subject_name(c)](const char* field, const std::string& text) {
    const auto* bytes = reinterpret_cast<const unsigned char*>(text.c_str());
    return X509_NAME_add_entry_by_txt(name, field, MBSTRING_UTF8, bytes, -1, -1, 0) == 1;
  };
  require_crypto(add("O", "Steadfast") && add("CN", common_name), "the name of a certificate");
}

void set_serial_number(X509* c) {
  constexpr int bits = 128;
  const number_handle number{BN_new()};
  require_crypto(number && BN_rand(number.get(), bits, BN_RAND_TOP_ONE, BN_RAND_BOTTOM_ANY) == 1
                   && BN_to_ASN1_INTEGER(number.get(), X509_get_serialNumber(c)),
                 "a serial number");
}

certificate_handle unsigned_certificate(const std::string& common_name, EVP_PKEY* key, std::uint32_t days) {
  certificate_handle c{X509_new()};
  require_crypto(c && X509_set_version(c.get(), X509_VERSION_3) == 1 && X509_set_pubkey(c.get(), key) == 1
                   && X509_gmtime_adj(X509_getm_notBefore(c.get()), -clock_tolerance)
                   && X509_time_adj_ex(X509_getm_notAfter(c.get()), static_cast<int>(days), 0, nullptr),
                 "a certificate");
  set_name(c.get(), common_name);
  set_serial_number(c.get());
  return c;
}

/// The issuer is the certificate itself, or another one that is complete.
void sign(X509* c, X509* issuer, EVP_PKEY* issuer_key, const extensions& more) {
  X509V3_CTX parties{};
  X509V3_set_ctx(&parties, issuer, c, nullptr, nullptr, 0);
  for (const auto& [kind, value] : more) {
    const extension_handle made{X509V3_EXT_conf_nid(nullptr, &parties, kind, value.c_str())};
    require_crypto(made && X509_add_ext(c, made.get(), -1) == 1, "the extension " + value);
  }
  require_crypto(X509_set_issuer_name(c, X509_get_subject_name(issuer)) == 1
                   && X509_sign(c, issuer_key, EVP_sha256()) > 0,
                 "a signature");
}

} // namespace

std::string crypto_reason() {
  const char* reason = ERR_reason_error_string(ERR_peek_last_error());
  ERR_clear_error();
  return reason ? reason : "no reason given";
}

key_handle new_key() {
  key_handle key{EVP_EC_gen("P-256")};
  require_crypto(key != nullptr, "a key");
  return key;
}

certificate_handle authority_certificate(EVP_PKEY* key) {
  auto c = unsigned_certificate("Steadfast authority", key, authority_days);
  sign(c.get(), c.get(), key,
       {{NID_basic_constraints, "critical,CA:TRUE,pathlen:0"},
        {NID_key_usage, "critical,keyCertSign,cRLSign"},
        {NID_subject_key_identifier, "hash"}});
  return c;
}

/// A node is the server of some connections and the client of others.
certificate_handle peer_certificate(const certificate_subject& of, EVP_PKEY* key, std::uint32_t days, X509* authority,
                                    EVP_PKEY* authority_key) {
  auto c = unsigned_certificate(of.name, key, days);
  const auto* end = X509_get0_notAfter(authority);
  if (ASN1_TIME_compare(X509_get0_notAfter(c.get()), end) > 0)
    require_crypto(X509_set1_notAfter(c.get(), end) == 1, "a certificate");
  auto names = "DNS:" + of.name + ",";
  for (const auto& host : of.hosts)
    names += host + ",";
  names.append("URI:").append(runtime::kind_uri).append(to_string(of.kind));
  sign(c.get(), authority, authority_key,
       {{NID_basic_constraints, "critical,CA:FALSE"},
        {NID_key_usage, "critical,digitalSignature"},
        {NID_ext_key_usage, of.kind == workflow::peer_kind::client ? "clientAuth" : "serverAuth,clientAuth"},
        {NID_subject_key_identifier, "hash"},
        {NID_authority_key_identifier, "keyid"},
        {NID_subject_alt_name, names}});
  return c;
}

} // namespace steadfast::apps
