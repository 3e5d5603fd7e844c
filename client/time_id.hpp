#pragma once

#include <string>

namespace steadfast {

/// A new id that sorts by the time it was made: a UUID of version 7 (RFC 9562).
std::string make_time_id();

} // namespace steadfast
