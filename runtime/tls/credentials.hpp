#pragma once

#include "runtime/configuration/cluster_options.hpp"
#include "runtime/tls/certificate.hpp"

#include <boost/asio/ssl/context.hpp>

#include <string>
#include <vector>

namespace steadfast::runtime {

/// With these this process shows who it is, and checks who others are: a certificate, its key and the authority, as
/// they were in the files when this was made.
struct credentials {
  boost::asio::ssl::context context; ///< for both ends; requires a certificate of the authority from the other
  certificate_facts own;
};

/// Throws node_error with a sentence that names the option, the file and the remedy: a file that cannot be read or is
/// of the wrong kind, a key of another certificate or one that other users can read, a certificate that has ended.
credentials read_credentials(const cluster_options& o);

/// Why the certificate does not allow a node of that name and those roles; empty: it does.
std::string why_not_own(const certificate_facts& own, const cluster_options& o, const std::string& name,
                        const workflow::node_roles& roles);

/// Why a node cannot be what its configuration says, with the present files; a sentence each.
std::vector<std::string> credential_problems(const cluster_options& o, const std::string& name,
                                             const workflow::node_roles& roles);

/// What a process with those roles is to others. Without certificates others believe it.
workflow::peer_kind kind_of(const workflow::node_roles& roles, const certificate_facts* own);

} // namespace steadfast::runtime
