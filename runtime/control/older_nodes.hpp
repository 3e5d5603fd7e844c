#pragma once

#include "actors/protocol/store_messages.hpp"
#include "workflow/definition/definition.hpp"

#include <string>
#include <string_view>

namespace steadfast {

/// Why what needs that knowledge cannot be sent yet: a node of an older release is alive. `what` is what it does not
/// know. Empty: all that are alive know it.
std::string why_not_yet(const actors::lease_page& page, workflow::knowledge needed, std::string_view what);

} // namespace steadfast
