#pragma once

#include "runtime/configuration/node_options.hpp"

#include <functional>

namespace steadfast {

/// Runs a node until SIGTERM, SIGINT or SIGHUP, then drains and stops it. A second signal ends the process at once. So
/// does a stop that takes much longer than the drain limit. `when_ready` is called once the node takes work. Throws
/// node_error when the node cannot start. REQUIRES: called from main's thread before any other thread exists.
void serve(const node_options& options, const std::function<void()>& when_ready);

} // namespace steadfast
