#pragma once

#include "store/contract/state_store.hpp"
#include "workflow/outward/delivery_queue.hpp"
#include "workflow/outward/notification.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

// Notifications for webhooks. They are committed with the change that they report, and wait like the notices of an
// observer, each at a place that is never used again.

namespace steadfast::store {

/// An incident has begun, or ended. `what`: the incident as it was at that moment.
struct incident_turn {
  incident what;
  bool is_over = false;
};

/// How many alerts of one change of a task are delivered in the lane of the task, each at a place by its index in the
/// change. Further alerts have lanes of their own.
inline constexpr std::size_t alerts_in_lane = 63;
workflow::delivery_place place_of_alert(std::uint64_t alert);
workflow::delivery_place place_of_alert(std::uint64_t alert, std::uint64_t task_number, std::uint64_t revision,
                                        std::size_t index);
/// Comes after the alerts of the same change.
workflow::delivery_place place_of_end(std::uint64_t task_number, std::uint64_t revision);
workflow::delivery_place place_of(const incident_turn& x);

workflow::notification told_of(const incident_turn& x);
/// As the store keeps it.
workflow::notice notice_of(const workflow::notification& n, std::uint32_t sequence);

} // namespace steadfast::store
