#pragma once

#include "store/contract/state_store.hpp"
#include "workflow/outward/delivery_queue.hpp"
#include "workflow/outward/notification.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

// Notifications for webhooks: they are committed with the change that they tell of, and wait as the notices of an
// observer do, each at a place that is never used again.

namespace steadfast::store {

/// An incident has begun, or ended; it is as it was then.
struct incident_turn {
  incident what;
  bool is_over = false;
};

/// Of the alert with that index among those of one change. The lane of a task has room for `alerts_in_lane` of a
/// change; any more have lanes of their own.
inline constexpr std::size_t alerts_in_lane = 63;
workflow::delivery_place place_of_alert(std::uint64_t alert);
workflow::delivery_place place_of_alert(std::uint64_t alert, std::uint64_t task_number, std::uint64_t revision,
                                        std::size_t index);
/// After the alerts of the same change.
workflow::delivery_place place_of_end(std::uint64_t task_number, std::uint64_t revision);
workflow::delivery_place place_of(const incident_turn& x);

workflow::notification told_of(const incident_turn& x);
/// As it is stored.
workflow::notice notice_of(const workflow::notification& n, std::uint32_t sequence);

} // namespace steadfast::store
