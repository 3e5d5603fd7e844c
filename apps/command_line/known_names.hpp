#pragma once

#include <string>
#include <vector>

namespace steadfast::apps {

/// The node's names of a kind (apps/command_line/completion.hpp) that begin like this; none if it does not answer.
std::vector<std::string> known_names(const std::string& kind, const std::string& begin);

} // namespace steadfast::apps
