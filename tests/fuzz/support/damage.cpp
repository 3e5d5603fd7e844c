#include "tests/fuzz/support/damage.hpp"

#include <algorithm>
#include <cstring>

namespace steadfast::fuzz {

std::vector<damage> damages_in(std::string_view input) {
  constexpr std::size_t size = 9;
  constexpr std::size_t damages_max = 16;
  std::vector<damage> all;
  for (; input.size() >= size && all.size() < damages_max; input.remove_prefix(size)) {
    damage d;
    d.kind = static_cast<std::uint8_t>(input[0]);
    std::memcpy(&d.a, input.data() + 1, sizeof d.a);
    std::memcpy(&d.b, input.data() + 5, sizeof d.b);
    all.push_back(d);
  }
  return all;
}

void overwrite(std::string& bytes, std::size_t at, std::string_view with) {
  std::copy_n(with.begin(), std::min(with.size(), bytes.size() - at), bytes.begin() + static_cast<std::ptrdiff_t>(at));
}

void flip_bit(std::string& bytes, std::size_t at, std::uint32_t bit) {
  bytes[at] = static_cast<char>(bytes[at] ^ (1 << (bit % 8)));
}

} // namespace steadfast::fuzz
