#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace steadfast::fuzz {

/// Of the bytes of a file; `a` and `b` are taken by the rest where they are too large.
struct damage {
  std::uint8_t kind = 0;
  std::uint32_t a = 0;
  std::uint32_t b = 0;

  std::string_view b_as_bytes() const { return {reinterpret_cast<const char*>(&b), sizeof b}; }
};

/// The input as a list of them, 9 bytes each, and 16 at most.
std::vector<damage> damages_in(std::string_view input);

/// Writes over what is there, as far as the file goes.
void overwrite(std::string& bytes, std::size_t at, std::string_view with);
void flip_bit(std::string& bytes, std::size_t at, std::uint32_t bit);

} // namespace steadfast::fuzz
