#pragma once

#include "workflow/task/task.hpp"

#include <array>
#include <cstdint>
#include <optional>

// How the tasks of one workflow end, recently and usually. A service that refuses everything brings no task into error
// and raises no alert: all tasks are undone, quietly. It shows only in how many are undone.

namespace steadfast::workflow {

enum class ending : std::uint8_t { well = 1, failed = 2 };

/// How the task ended by the change to `next`. Nothing: it did not end by it, or a person wanted it undone.
std::optional<ending> ending_of(process_state before, const task& next);

inline constexpr std::uint32_t endings_looked_at = 256;     ///< recent ones
inline constexpr std::uint32_t endings_just_now = 64;       ///< the newest of those
inline constexpr std::uint64_t whole_share = 1'000'000'000; ///< shares are stored in billionths

/// Stored.
struct endings {
  std::uint64_t count = 0;                                  ///< how many have ended since counting began
  std::uint64_t usual = 0;                                  ///< share that failed, an average that forgets slowly
  std::array<std::uint64_t, endings_looked_at / 64> last{}; ///< a bit for each: it failed; the newest is the lowest bit

  friend bool operator==(const endings&, const endings&) = default;
};

/// When the share that fails is unusual.
struct share_rules {
  std::uint32_t at_least = 50; ///< how many tasks must have ended: before that, nothing is unusual
  std::uint32_t margin_percent =
    10; ///< above the usual share, or five standard deviations of it if that is more; 50 before 512 have ended

  friend bool operator==(const share_rules&, const share_rules&) = default;
};

/// The same for one of several partitions of a store, which knows only the tasks that end there: its share of
/// `at_least`, but at least ten, unless `at_least` itself is less.
share_rules in_partition(share_rules of_all, std::uint32_t partitions);

/// Counts one more ending. What is usual is learnt only from endings before the last 256. While the share is unusual by
/// the default rules, it is learnt sixteen times as slowly: an outage of hours does not become usual.
void count_ending(endings& e, ending how);

/// How many of the newest `max` failed, and how many there are.
struct failed_of {
  std::uint32_t failed = 0;
  std::uint32_t ended = 0;
};
failed_of failed_of_last(const endings& e, std::uint32_t max);

/// Whether more fail than usual, both of the last 256 and of the newest 64. If it `was` unusual, it stays so until the
/// newest are well within the usual again, so that it does not flap.
bool is_unusual(const endings& e, const share_rules& rules, bool was);

} // namespace steadfast::workflow
