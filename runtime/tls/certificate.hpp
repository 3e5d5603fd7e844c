#pragma once

#include "workflow/supervision/peer_claim.hpp"

#include <openssl/x509.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// The content of a cluster's certificate: its common name is the name of the node or client, and a URI among its
// alternative names says what its holder may be: "steadfast:store", "steadfast:node" or "steadfast:client".

namespace steadfast::runtime {

inline constexpr std::string_view kind_uri = "steadfast:";
inline constexpr std::chrono::days warned_before{30};

struct certificate_facts {
  workflow::vouched_peer vouches;
  std::chrono::system_clock::time_point not_before;
  std::chrono::system_clock::time_point not_after;
  std::vector<std::string> hosts{}; ///< "DNS:n1.example", "IP:10.0.0.1": by which its holder is asked, besides its name
};

certificate_facts facts_of(X509* certificate);

/// The content of the first certificate in this file; nothing if the file cannot be read or has none.
std::optional<certificate_facts> facts_in(const std::filesystem::path& file);

/// "2027-03-01": the day, UTC.
std::string day_text(std::chrono::system_clock::time_point t);

/// "ended on 2027-03-01" or "is not valid before ..."; empty: it is valid now.
std::string why_untimely(const certificate_facts& f, std::chrono::system_clock::time_point now);

/// A sentence for people if it ends within 30 days, or has ended; otherwise empty.
std::string why_renew(const certificate_facts& f, std::chrono::system_clock::time_point now);

} // namespace steadfast::runtime
