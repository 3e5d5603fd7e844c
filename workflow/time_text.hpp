#pragma once

#include "workflow/time.hpp"

#include <string>

namespace steadfast::workflow {

/// "2026-01-01T12:00:05.250Z" (RFC 3339).
std::string utc_text(instant t);

/// "12:00:05", the seconds rounded up: by the moment it names, `t` has come. UTC.
std::string utc_clock_text(instant t);

} // namespace steadfast::workflow
