#include "runtime/text/random_text.hpp"

#include "runtime/text/hex.hpp"

#include <openssl/evp.h>
#include <openssl/rand.h>

#include <array>
#include <stdexcept>

namespace steadfast::runtime {

std::string random_hex(std::size_t size) {
  std::string bytes(size, '\0');
  if (RAND_bytes(reinterpret_cast<unsigned char*>(bytes.data()), static_cast<int>(size)) != 1)
    throw std::runtime_error{"the system gives no random numbers"};
  return hex_of(bytes);
}

std::string sha256(std::string_view text) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> hash{};
  unsigned size = 0;
  if (EVP_Digest(text.data(), text.size(), hash.data(), &size, EVP_sha256(), nullptr) != 1)
    throw std::runtime_error{"SHA-256 is not available"};
  return hex_of({reinterpret_cast<const char*>(hash.data()), size});
}

} // namespace steadfast::runtime
