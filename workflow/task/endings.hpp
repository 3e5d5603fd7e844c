#pragma once

#include "workflow/task/task.hpp"

#include <array>
#include <cstdint>
#include <optional>

// How the tasks of one workflow end: of late, and as a rule. A service that refuses everything fails no task and raises
// no alert: all are undone, quietly. That shows in how many are.

namespace steadfast::workflow {

enum class ending : std::uint8_t { well = 1, failed = 2 };

/// How the task ended by the change to `next`. Nothing: it has not ended by it, or because a person wanted it undone.
std::optional<ending> ending_of(process_state before, const task& next);

inline constexpr std::uint32_t endings_looked_at = 256;     ///< of late
inline constexpr std::uint32_t endings_just_now = 64;       ///< the newest of those
inline constexpr std::uint64_t whole_share = 1'000'000'000; ///< shares are told in billionths

/// Stored.
struct endings {
  std::uint64_t count = 0;                                  ///< that ended since they are counted
  std::uint64_t usual = 0;                                  ///< share that failed, an average that forgets slowly
  std::array<std::uint64_t, endings_looked_at / 64> last{}; ///< a bit each, the newest in the lowest: it failed

  friend bool operator==(const endings&, const endings&) = default;
};

/// When the share that fails is unusual.
struct share_rules {
  std::uint32_t at_least = 50; ///< tasks have ended: before that, nothing is unusual
  std::uint32_t margin_percent =
    10; ///< above the usual share, or five standard deviations of it if that is more; 50 before 512 have ended

  friend bool operator==(const share_rules&, const share_rules&) = default;
};

/// The same for one of several partitions of a store, which knows only the tasks that end there: its share of
/// `at_least`, though never less than ten, or what there is of them.
share_rules in_partition(share_rules of_all, std::uint32_t partitions);

/// One more ended so. What is usual is learnt from those before the last 256, and while the share is unusual by the
/// default rules sixteen times as slowly: an outage of hours does not become the rule.
void count_ending(endings& e, ending how);

/// Of the newest `max`, how many failed, and how many those are.
struct failed_of {
  std::uint32_t failed = 0;
  std::uint32_t ended = 0;
};
failed_of failed_of_last(const endings& e, std::uint32_t max);

/// More fail than usually, of late and just now. One that `was` unusual is so until those that ended just now are well
/// within the usual again, so that it does not flap.
bool is_unusual(const endings& e, const share_rules& rules, bool was);

} // namespace steadfast::workflow
