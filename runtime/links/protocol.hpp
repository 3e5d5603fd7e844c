#pragma once

namespace steadfast::runtime {

/// What nodes speak with each other; raised when a message changes its layout. Nodes of two protocols refuse each
/// other.
inline constexpr const char* protocol = "steadfast-5";

} // namespace steadfast::runtime
