#pragma once

#include <cstdint>

namespace steadfast::workflow {

inline constexpr std::uint8_t priority_max = 9; ///< of a task; 0 comes first

} // namespace steadfast::workflow
