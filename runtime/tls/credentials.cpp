#include "runtime/tls/credentials.hpp"

#include "runtime/tls/pem_files.hpp"
#include "steadfast/node_error.hpp"
#include "workflow/text/name.hpp"

#include <openssl/err.h>
#include <openssl/ssl.h>

#include <chrono>
#include <filesystem>

namespace steadfast::runtime {

namespace {

namespace fs = std::filesystem;

void check_time(const fs::path& file, const certificate_facts& own) {
  if (const auto why = why_untimely(own, std::chrono::system_clock::now()); !why.empty())
    refuse_pem("cluster.certificate", file, why + ": renew it by `steadfast cluster certs renew`");
}

/// Otherwise nobody would accept it, and a node that rereads its files would have lost its good ones.
void check_authority(SSL_CTX* context, const cluster_options& o) {
  if (SSL_CTX_build_cert_chain(context, SSL_BUILD_CHAIN_FLAG_UNTRUSTED | SSL_BUILD_CHAIN_FLAG_NO_ROOT) == 1)
    return ERR_clear_error();
  const char* data = "";
  ERR_peek_last_error_all(nullptr, nullptr, nullptr, &data, nullptr);
  refuse_pem("cluster.certificate", o.certificate, "is not one that " + o.authority.string() + " vouches for: " + data);
}

} // namespace

credentials read_credentials(const cluster_options& o) {
  credentials made{careful_context(), {}};
  use_certificate(made.context, "cluster.", o.certificate, o.key);
  use_authority(made.context, "cluster.", o.authority);
  made.context.set_verify_mode(boost::asio::ssl::verify_peer | boost::asio::ssl::verify_fail_if_no_peer_cert);
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
