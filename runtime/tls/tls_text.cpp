#include "runtime/tls/tls_text.hpp"

#include <boost/asio/error.hpp>
#include <boost/asio/ssl/error.hpp>

#include <openssl/err.h>
#include <openssl/x509.h>

namespace steadfast::runtime {

namespace {

constexpr int alert_offset = SSL_AD_REASON_OFFSET; ///< reasons above it are alerts that the other side has sent

/// What it thinks of our certificate.
std::string alert_text(int reason) {
  const std::string what = "it refuses our certificate: ";
  switch (reason) {
    case SSL_R_TLSV1_ALERT_UNKNOWN_CA: return what + "its authority is another one";
    case SSL_R_SSLV3_ALERT_CERTIFICATE_EXPIRED: return what + "it has ended";
    case SSL_R_SSLV3_ALERT_BAD_CERTIFICATE:
    case SSL_R_SSLV3_ALERT_CERTIFICATE_REVOKED:
    case SSL_R_SSLV3_ALERT_CERTIFICATE_UNKNOWN:
    case SSL_R_SSLV3_ALERT_UNSUPPORTED_CERTIFICATE:
      return what + ERR_reason_error_string(ERR_PACK(ERR_LIB_SSL, 0, reason));
    case SSL_R_TLSV13_ALERT_CERTIFICATE_REQUIRED: return "it wants a certificate";
    default: {
      const char* text = ERR_reason_error_string(ERR_PACK(ERR_LIB_SSL, 0, reason));
      return std::string{"it ended the handshake: "} + (text ? text : "no reason given");
    }
  }
}

/// What we think of its certificate.
std::string refusal_text(long reason, const std::string& name) {
  const auto what = "its certificate" + (name.empty() ? "" : ", of `" + name + "`,") + " is not accepted: ";
  switch (reason) {
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
    case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
    case X509_V_ERR_CERT_SIGNATURE_FAILURE: return what + "its authority is another one";
    default: return what + X509_verify_cert_error_string(reason);
  }
}

} // namespace

std::string tls_failure_text(const boost::system::error_code& e, SSL* session, const std::string& shown_name) {
  if (e == boost::asio::error::eof || e == boost::asio::error::connection_reset || e == boost::asio::error::broken_pipe
      || e == boost::asio::ssl::error::stream_truncated)
    return "it ended the connection at once: does it have certificates, and is there room for one more?";
  const int reason = ERR_GET_REASON(static_cast<unsigned long>(e.value()));
  switch (reason) {
    case SSL_R_CERTIFICATE_VERIFY_FAILED: return refusal_text(SSL_get_verify_result(session), shown_name);
    case SSL_R_PEER_DID_NOT_RETURN_A_CERTIFICATE: return "it showed no certificate";
    case SSL_R_WRONG_VERSION_NUMBER:
    case SSL_R_HTTP_REQUEST:
    case SSL_R_HTTPS_PROXY_REQUEST:
    case SSL_R_PACKET_LENGTH_TOO_LONG: return "it does not speak TLS: it has no certificates, or is not a node";
    case SSL_R_UNSUPPORTED_PROTOCOL:
    case SSL_R_NO_SHARED_CIPHER: return "it speaks an old TLS: 1.3 is preferred, and 1.2 without CBC taken";
    default: return reason > alert_offset ? alert_text(reason) : "the TLS handshake failed: " + e.message();
  }
}

} // namespace steadfast::runtime
