#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace steadfast::workflow {

/// The known name that `name` was probably meant to be: the one with the fewest single-letter edits (a swap of
/// neighbours counts as one), if these are few for its length.
std::optional<std::string> nearest(std::string_view name, const std::vector<std::string>& known);

} // namespace steadfast::workflow
