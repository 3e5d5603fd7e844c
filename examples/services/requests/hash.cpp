#include "examples/services/requests/hash.hpp"

#include <xxhash.h>

#include <array>
#include <cinttypes>
#include <cstdio>

namespace services {

std::uint64_t hash_number(std::string_view bytes) {
  return XXH3_64bits(bytes.data(), bytes.size());
}

std::string hash_text(std::string_view bytes) {
  std::array<char, 17> digits{};
  std::snprintf(digits.data(), digits.size(), "%016" PRIx64, hash_number(bytes));
  return digits.data();
}

} // namespace services
