#pragma once

#include "runtime/events/event_log.hpp"
#include "runtime/events/live_stream.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace steadfast::runtime {

/// Which events a client follows. Gaps are told to everybody.
struct event_filter {
  std::vector<std::string> workflows; ///< empty: all
  std::vector<std::string> kinds;     ///< empty: all

  bool takes(const task_event& e) const;
};

/// The events of all tasks after a position, as server-sent events; without one, from now on. Blocks for a moment.
/// Throws api::error if the store cannot be asked.
std::shared_ptr<live_stream> follow_all(const std::shared_ptr<event_log>& log, const watch_parts& parts,
                                        event_filter filter, const std::optional<event_position>& seen);

} // namespace steadfast::runtime
