#pragma once

#include <string>
#include <vector>

namespace steadfast::apps {

/// Names that the node knows, of a kind (apps/command_line/completion.hpp), that may begin so; none when it does not
/// answer.
std::vector<std::string> known_names(const std::string& kind, const std::string& begin);

} // namespace steadfast::apps
