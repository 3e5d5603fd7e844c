#pragma once

#include "actors/common/figures.hpp"

#include <array>
#include <cstdint>

namespace steadfast {

/// What the HTTP port has answered, and to how many it is connected. One thread counts, any may read.
struct http_figures {
  std::array<actors::counter, 600> answers; ///< by status
  actors::counter connections;              ///< now
  actors::counter streams;                  ///< those of them that get events
};

} // namespace steadfast
