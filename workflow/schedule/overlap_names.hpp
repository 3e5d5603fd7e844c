#pragma once

#include <string_view>

namespace steadfast::workflow {

/// The names of `overlap`, in its order, whose first value is 1. An API and files show them; the store has the values.
inline constexpr std::string_view overlap_names[] = {"skip", "queue", "allow", "cancel"};

} // namespace steadfast::workflow
