#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace steadfast::apps {

/// Where the certificates of a cluster are made, and for whom.
struct certificate_order {
  std::filesystem::path folder;
  std::vector<std::string> nodes;     ///< names of nodes
  std::uint32_t days = 825;           ///< validity of a certificate; it ends no later than its authority's
  std::vector<std::string> stores{};  ///< names of nodes that may have the store, in `nodes` or in addition
  std::vector<std::string> clients{}; ///< names of programs with client actors, which cannot be nodes
  std::vector<std::string> hosts{};   ///< names and addresses by which HTTP clients ask the nodes, all of them
};

/// Which certificates of a folder to renew.
struct certificate_renewal {
  std::filesystem::path folder;
  std::vector<std::string> names; ///< none: all of them
  std::uint32_t days = 825;
};

/// Makes what is missing: the authority (authority.key, authority.pem: valid for ten years) and for each node and
/// client <name>.key and <name>.pem, signed by it. Existing files are left as they are, so that nodes can be added
/// later; a node whose certificate was removed gets a new one for its old key. The folder is made with mode 0700 (the
/// one above it must exist), keys with 0600, certificates with 0644. Each file appears complete, a key before its
/// certificate, and replaces none. Returns the files it wrote, in order. Throws failure; nothing is written when the
/// order is at fault.
std::vector<std::filesystem::path> make_certificates(const certificate_order& order);

/// Replaces certificates by new ones for the same names, kinds and keys. Each file is replaced in one piece; copies
/// elsewhere are not. Returns the files it wrote. Throws failure; nothing is written if the order is at fault.
std::vector<std::filesystem::path> renew_certificates(const certificate_renewal& order);

} // namespace steadfast::apps
