#pragma once

#include <string>
#include <string_view>

namespace steadfast::store {

/// What makes `after` of `before`, appended to `to`: small when the two have long stretches in common in the same
/// order.
void append_patch(std::string& to, std::string_view before, std::string_view after);

/// Throws damaged_record when the patch was not made from these bytes.
std::string patched(std::string_view before, std::string_view patch);

} // namespace steadfast::store
