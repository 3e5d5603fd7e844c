#include "runtime/tls/pem_files.hpp"

#include "steadfast/node_error.hpp"

#include <openssl/err.h>
#include <openssl/ssl.h>

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace steadfast::runtime {

namespace {

namespace fs = std::filesystem;

/// Of TLS 1.2; those of 1.3 are all good. No CBC, and no key exchange that a key stolen later could decrypt.
constexpr const char* ciphers = "ECDHE+AESGCM:ECDHE+CHACHA20";
constexpr mode_t of_others = S_IRWXG | S_IRWXO;

std::string crypto_reason(const boost::system::error_code& e) {
  const char* reason = ERR_reason_error_string(static_cast<unsigned long>(e.value()));
  return reason ? reason : "it is empty or cut off";
}

void check_readable(const std::string& key, const fs::path& file) {
  std::error_code unknown;
  if (fs::is_directory(file, unknown))
    refuse_pem(key, file, "is a folder: name the file in it");
  if (const auto folder = file.parent_path(); !folder.empty() && !fs::exists(folder, unknown) && !unknown)
    refuse_pem(key, file,
               "cannot be read: there is no folder " + folder.string()
                 + (key.starts_with("cluster.") ? ": `steadfast cluster certs` makes keys and certificates" : ""));
  if (access(file.c_str(), R_OK) != 0)
    refuse_pem(key, file, "cannot be read: " + std::string{std::strerror(errno)});
}

void check_secrecy(const std::string& option, const fs::path& key) {
  struct stat found {};
  if (stat(key.c_str(), &found) == 0 && (found.st_mode & of_others) != 0)
    refuse_pem(option, key, "can be read by other users of this host: chmod 600 " + key.string());
}

} // namespace

void refuse_pem(const std::string& key, const fs::path& file, const std::string& why) {
  ERR_clear_error();
  throw node_error{key + ": " + file.string() + " " + why};
}

boost::asio::ssl::context careful_context() {
  boost::asio::ssl::context context{boost::asio::ssl::context::tls};
  auto* native = context.native_handle();
  SSL_CTX_set_min_proto_version(native, TLS1_2_VERSION);
  SSL_CTX_set_cipher_list(native, ciphers);
  // No resumption: each connection is checked with the files as they are then.
  SSL_CTX_set_options(native, SSL_OP_NO_TICKET | SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
  SSL_CTX_set_num_tickets(native, 0);
  SSL_CTX_set_session_cache_mode(native, SSL_SESS_CACHE_OFF);
  return context;
}

void use_certificate(boost::asio::ssl::context& context, const std::string& option, const fs::path& certificate,
                     const fs::path& key) {
  check_readable(option + "certificate", certificate);
  check_readable(option + "key", key);
  check_secrecy(option + "key", key);
  ERR_clear_error();
  boost::system::error_code wrong;
  if (context.use_certificate_chain_file(certificate.string(), wrong); wrong)
    refuse_pem(option + "certificate", certificate, "is not a certificate in PEM format: " + crypto_reason(wrong));
  // OpenSSL would ask for a password on the terminal.
  context.set_password_callback([](std::size_t, boost::asio::ssl::context::password_purpose) { return std::string{}; });
  if (context.use_private_key_file(key.string(), boost::asio::ssl::context::pem, wrong); !wrong)
    return;
  if (ERR_GET_REASON(static_cast<unsigned long>(wrong.value())) == X509_R_KEY_VALUES_MISMATCH)
    refuse_pem(option + "key", key, "is not the key of " + certificate.string());
  refuse_pem(option + "key", key, "is not a private key without password in PEM format: " + crypto_reason(wrong));
}

void use_authority(boost::asio::ssl::context& context, const std::string& option, const fs::path& authority) {
  check_readable(option + "authority", authority);
  boost::system::error_code wrong;
  if (context.load_verify_file(authority.string(), wrong); wrong)
    refuse_pem(option + "authority", authority, "is not a certificate in PEM format: " + crypto_reason(wrong));
}

} // namespace steadfast::runtime
