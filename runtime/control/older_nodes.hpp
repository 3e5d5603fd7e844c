#pragma once

#include "actors/protocol/store_messages.hpp"
#include "runtime/control/control_context.hpp"
#include "runtime/control/control_server.hpp"
#include "workflow/definition/definition.hpp"

#include <caf/event_based_actor.hpp>

#include <functional>
#include <string>
#include <string_view>

namespace steadfast {

/// Calls `then` in that actor, unless a node of an older release is alive: then the reply throws why not.
void unless_older(caf::event_based_actor* self, const actors::reader_actor& reader, workflow::knowledge needed,
                  std::string_view what, const control_reply& reply, std::function<void()> then);

/// For a method that waits for its answer. Throws api::error.
void expect_known(const control_context& c, workflow::knowledge needed, std::string_view what);

/// Why what needs that knowledge cannot be sent yet: a node of an older release is alive. `what` is what it does not
/// know. Empty: all that are alive know it.
std::string why_not_yet(const actors::lease_page& page, workflow::knowledge needed, std::string_view what);

} // namespace steadfast
