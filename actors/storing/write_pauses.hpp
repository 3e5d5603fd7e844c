#pragma once

#include "workflow/time/time.hpp"

#include <atomic>

namespace steadfast::actors {

/// What a store actor tells the reader beside it: whether writes are being taken. See workflow::write_times.
struct write_pauses {
  std::atomic<workflow::instant> again{workflow::unset};
  std::atomic<workflow::instant> waiting_since{workflow::never};
};

} // namespace steadfast::actors
