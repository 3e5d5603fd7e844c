#include "runtime/links/credentials.hpp"

#include "steadfast/node_error.hpp"
#include "workflow/text/name.hpp"

#include <openssl/err.h>
#include <openssl/ssl.h>

#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

namespace steadfast::runtime {

namespace {

namespace fs = std::filesystem;

/// Of TLS 1.2; those of 1.3 are all good. No CBC, and no key exchange that a key stolen later could decrypt.
constexpr const char* ciphers = "ECDHE+AESGCM:ECDHE+CHACHA20";
constexpr mode_t of_others = S_IRWXG | S_IRWXO;

[[noreturn]] void refuse(const std::string& key, const fs::path& file, const std::string& why) {
  ERR_clear_error();
  throw node_error{"cluster." + key + ": " + file.string() + " " + why};
}

std::string crypto_reason(const asio::error_code& e) {
  const char* reason = ERR_reason_error_string(static_cast<unsigned long>(e.value()));
  return reason ? reason : "it is empty or cut off";
}

void check_readable(const std::string& key, const fs::path& file) {
  std::error_code unknown;
  if (fs::is_directory(file, unknown))
    refuse(key, file, "is a folder: name the file in it");
  if (const auto folder = file.parent_path(); !folder.empty() && !fs::exists(folder, unknown) && !unknown)
    refuse(key, file,
           "cannot be read: there is no folder " + folder.string()
             + ": `steadfast cluster certs` makes keys and certificates");
  if (access(file.c_str(), R_OK) != 0)
    refuse(key, file, "cannot be read: " + std::string{std::strerror(errno)});
}

void check_secrecy(const fs::path& key) {
  struct stat found {};
  if (stat(key.c_str(), &found) == 0 && (found.st_mode & of_others) != 0)
    refuse("key", key, "can be read by other users of this host: chmod 600 " + key.string());
}

void check_time(const fs::path& file, const certificate_facts& own) {
  const auto now = std::chrono::system_clock::now();
  if (own.not_after <= now)
    refuse("certificate", file,
           "ended on " + day_text(own.not_after) + ": renew it by `steadfast cluster certs renew`");
  if (own.not_before > now)
    refuse("certificate", file, "is not valid before " + day_text(own.not_before) + ": is this host's clock right?");
}

/// Otherwise nobody would accept it, and a node that rereads its files would have lost its good ones.
void check_authority(SSL_CTX* context, const cluster_options& o) {
  if (SSL_CTX_build_cert_chain(context, SSL_BUILD_CHAIN_FLAG_UNTRUSTED | SSL_BUILD_CHAIN_FLAG_NO_ROOT) == 1)
    return ERR_clear_error();
  const char* data = "";
  ERR_peek_last_error_all(nullptr, nullptr, nullptr, &data, nullptr);
  refuse("certificate", o.certificate, "is not one that " + o.authority.string() + " vouches for: " + data);
}

void allow_only_good_versions(asio::ssl::context& context) {
  auto* native = context.native_handle();
  SSL_CTX_set_min_proto_version(native, TLS1_2_VERSION);
  SSL_CTX_set_cipher_list(native, ciphers);
  // No resumption: each connection is checked with the files as they are then.
  SSL_CTX_set_options(native, SSL_OP_NO_TICKET | SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
  SSL_CTX_set_num_tickets(native, 0);
  SSL_CTX_set_session_cache_mode(native, SSL_SESS_CACHE_OFF);
}

} // namespace

credentials read_credentials(const cluster_options& o) {
  check_readable("certificate", o.certificate);
  check_readable("key", o.key);
  check_readable("authority", o.authority);
  check_secrecy(o.key);
  ERR_clear_error();
  credentials made{asio::ssl::context{asio::ssl::context::tls}, {}};
  allow_only_good_versions(made.context);
  asio::error_code wrong;
  if (made.context.use_certificate_chain_file(o.certificate.string(), wrong); wrong)
    refuse("certificate", o.certificate, "is not a certificate in PEM format: " + crypto_reason(wrong));
  // OpenSSL would ask for a password on the terminal.
  made.context.set_password_callback([](std::size_t, asio::ssl::context::password_purpose) { return std::string{}; });
  if (made.context.use_private_key_file(o.key.string(), asio::ssl::context::pem, wrong); wrong) {
    if (ERR_GET_REASON(static_cast<unsigned long>(wrong.value())) == X509_R_KEY_VALUES_MISMATCH)
      refuse("key", o.key, "is not the key of " + o.certificate.string());
    refuse("key", o.key, "is not a private key without password in PEM format: " + crypto_reason(wrong));
  }
  if (made.context.load_verify_file(o.authority.string(), wrong); wrong)
    refuse("authority", o.authority, "is not a certificate in PEM format: " + crypto_reason(wrong));
  made.context.set_verify_mode(asio::ssl::verify_peer | asio::ssl::verify_fail_if_no_peer_cert);
  made.own = facts_of(SSL_CTX_get0_certificate(made.context.native_handle()));
  check_time(o.certificate, made.own);
  check_authority(made.context.native_handle(), o);
  return made;
}

std::string why_not_own(const certificate_facts& own, const cluster_options& o, const std::string& name,
                        const workflow::node_roles& roles) {
  const auto claimed = kind_of(roles, &own);
  const auto option = claimed == workflow::peer_kind::store ? std::string{"--store "} : std::string{};
  const auto cure = ": make one by `steadfast cluster certs " + option + name + "`";
  const auto file = "cluster.certificate: " + o.certificate.string();
  if (own.vouches.name.empty() || !own.vouches.highest)
    return file + " does not say who may be what" + cure;
  if (own.vouches.name != name)
    return file + " is that of " + workflow::quoted(own.vouches.name) + ", and this node is named "
           + workflow::quoted(name) + cure;
  if (*own.vouches.highest < claimed)
    return file + " is one of a " + std::string{to_string(*own.vouches.highest)} + ", and the roles make this "
           + (claimed == workflow::peer_kind::store ? "the node with the store" : "a node") + cure;
  return {};
}

std::vector<std::string> credential_problems(const cluster_options& o, const std::string& name,
                                             const workflow::node_roles& roles) {
  if (!o.has_certificates())
    return {};
  try {
    auto why = why_not_own(read_credentials(o).own, o, name, roles);
    return why.empty() ? std::vector<std::string>{} : std::vector{std::move(why)};
  } catch (const node_error& e) {
    return {e.what()};
  }
}

workflow::peer_kind kind_of(const workflow::node_roles& roles, const certificate_facts* own) {
  if (roles.store)
    return workflow::peer_kind::store;
  const bool has_none = roles == workflow::node_roles{false, false, false, false};
  return has_none && own && own->vouches.highest == workflow::peer_kind::client ? workflow::peer_kind::client
                                                                                : workflow::peer_kind::node;
}

} // namespace steadfast::runtime
