#pragma once

#include "workflow/supervision/lease_term.hpp"
#include "workflow/supervision/node_card.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace steadfast {

/// How a node and the others of its cluster reach each other, and who may.
struct cluster_options {
  std::string listen;    ///< host:port where other nodes and client actors connect; empty: none can
  std::string advertise; ///< host:port that others are told; empty: what `listen` says
  /// host:port of the node that has the store, or of each that may have it, with commas; empty: this one may.
  std::string join;
  /// Of this node, its private key and the authority that both sides trust, as PEM files. Either all or none.
  std::filesystem::path certificate;
  std::filesystem::path key;
  std::filesystem::path authority;
  bool private_network = false; ///< listen beyond loopback without certificates
  workflow::lease_terms lease;  ///< by which the node counts as alive

  bool is_used() const { return !listen.empty() || !join.empty(); }
  /// The addresses in `join`.
  std::vector<std::string> joined() const;
  /// Where others reach this node; empty: nowhere.
  const std::string& address() const { return advertise.empty() ? listen : advertise; }
  bool has_certificates() const { return !certificate.empty(); }
};

/// Its mistakes, a sentence each.
std::vector<std::string> problems(const cluster_options& o, const workflow::node_roles& roles);

} // namespace steadfast
