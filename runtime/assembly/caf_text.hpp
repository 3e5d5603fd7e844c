#pragma once

#include <caf/fwd.hpp>

namespace steadfast {

/// From now on what CAF itself prints, such as an unexpected message or an unhandled exception, goes to the log as a
/// warning instead of standard output. End the actor that writes it with the system, or it is never freed.
caf::actor log_caf_text(caf::actor_system& sys);

} // namespace steadfast
