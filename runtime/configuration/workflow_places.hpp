#pragma once

#include "workflow/definition/definition.hpp"

#include <optional>
#include <string>
#include <string_view>

// Texts by which a workflow, in a file or in C++, names where a value comes from.

namespace steadfast {

/// "payload:/customer" or "create_package:/package_id".
std::optional<workflow::source> parse_source(std::string_view text);

/// What `until` says: a moment, the place of one, or "next 08:00 Europe/Lisbon". Nothing if it is anything else.
std::optional<workflow::wait_rule> parse_until(std::string_view text);

} // namespace steadfast
