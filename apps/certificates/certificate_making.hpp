#pragma once

#include "workflow/supervision/peer_claim.hpp"

#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/evp.h>
#include <openssl/x509.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

// Keys and certificates (X.509) by OpenSSL's libcrypto, in memory. What fails throws failure.

namespace steadfast::apps {

inline constexpr std::uint32_t authority_days = 3652; // ten years

template <auto Free>
struct freed_by {
  template <class T>
  void operator()(T* object) const {
    Free(object);
  }
};

using key_handle = std::unique_ptr<EVP_PKEY, freed_by<EVP_PKEY_free>>;
using certificate_handle = std::unique_ptr<X509, freed_by<X509_free>>;
using stream_handle = std::unique_ptr<BIO, freed_by<BIO_free>>;

/// Why the last call of libcrypto failed; forgets it.
std::string crypto_reason();

key_handle new_key();
certificate_handle authority_certificate(EVP_PKEY* key);
/// Whose certificate it is, and the hosts by which it is asked besides (certificate_facts::hosts).
struct certificate_subject {
  std::string name;
  workflow::peer_kind kind = workflow::peer_kind::node;
  std::vector<std::string> hosts{};
};
/// It ends no later than its authority's.
certificate_handle peer_certificate(const certificate_subject& of, EVP_PKEY* key, std::uint32_t days, X509* authority,
                                    EVP_PKEY* authority_key);

} // namespace steadfast::apps
