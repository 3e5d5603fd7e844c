#pragma once

#include <toml++/toml.h>

#include <optional>
#include <string>

namespace steadfast::runtime {

/// The value as compact JSON text; none if it contains what JSON cannot express: a date, a time, an infinite number.
std::optional<std::string> json_text_of(const toml::node& value);

} // namespace steadfast::runtime
