#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace steadfast::runtime {

/// So many bytes by chance, in hex. Throws std::runtime_error if the system gives none.
std::string random_hex(std::size_t size);

/// In hex.
std::string sha256(std::string_view text);

} // namespace steadfast::runtime
