#pragma once

#include "runtime/control_server.hpp"

namespace steadfast {

/// The same methods, each refusing a parameter that it does not take: one that was misspelt would be as if it was not there.
control_methods taking_only_their_params(control_methods methods);

} // namespace steadfast
