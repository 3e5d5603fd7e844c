#pragma once

#include <CLI/CLI.hpp>

#include <string>

namespace steadfast::apps {

/// An argument that is given must say something: an empty one is mostly a variable of a script that was never set.
inline const CLI::Validator not_empty{[](const std::string& text) { return text.empty() ? "is empty" : std::string{}; }, ""};

} // namespace steadfast::apps
