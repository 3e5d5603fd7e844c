#pragma once

namespace caf {
class actor_system;
}

namespace steadfast {

/// From now on what CAF itself prints, such as an unexpected message or an unhandled exception, goes to the log as a warning
/// instead of standard output.
void log_caf_text(caf::actor_system& sys);

} // namespace steadfast
