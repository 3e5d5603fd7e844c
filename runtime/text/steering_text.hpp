#pragma once

#include <string>

namespace steadfast::runtime {

/// A JSON text in which what steers a terminal (workflow::steers_terminal) is escaped: the same values, safe to print.
std::string escaped_json(std::string text);

} // namespace steadfast::runtime
