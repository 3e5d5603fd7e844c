#pragma once

#include "runtime/configuration/cluster_options.hpp"
#include "runtime/links/certificate.hpp"

#include <asio/ssl/context.hpp>

#include <string>
#include <vector>

namespace steadfast::runtime {

/// By what this process shows who it is, and judges who others are: a certificate, its key and the authority, as they
/// were in the files when it was made.
struct credentials {
  asio::ssl::context context; ///< for both ends; asks the other for a certificate of the authority
  certificate_facts own;
};

/// Throws node_error, a sentence that names the option, the file and the cure: a file that cannot be read or is not
/// what it should be, a key of another certificate or one that other users can read, a certificate that has ended.
credentials read_credentials(const cluster_options& o);

/// Why a node of that name and those roles is not what its certificate says; empty: it is.
std::string why_not_own(const certificate_facts& own, const cluster_options& o, const std::string& name,
                        const workflow::node_roles& roles);

/// What keeps a node from being what its configuration says, with the files as they are; a sentence each.
std::vector<std::string> credential_problems(const cluster_options& o, const std::string& name,
                                             const workflow::node_roles& roles);

/// What a process with those roles is to others. Without certificates it is taken at its word.
workflow::peer_kind kind_of(const workflow::node_roles& roles, const certificate_facts* own);

} // namespace steadfast::runtime
