#pragma once

#include "workflow/text/blob.hpp"
#include "workflow/time/time.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// What makes tasks at its moments: when, of which workflow, and what happens at a moment when the task of an earlier
// one is still there.

namespace steadfast::workflow {

/// Stored. What happens at a moment while the task of an earlier one has not been processed or undone.
enum class overlap : std::uint8_t {
  skip = 1,   ///< no task is made
  queue = 2,  ///< a task is made when that task has ended; of several such moments, only for the first
  allow = 3,  ///< a task is made, and both run at the same time
  cancel = 4, ///< that task is cancelled; a task is made when it has ended, of several such moments for the last
};
std::string_view to_string(overlap x);
std::optional<overlap> parse_overlap(std::string_view text);

struct schedule {
  std::string name;
  std::string workflow;
  std::uint32_t version = 0; ///< 0: the newest at that moment
  blob payload{};            ///< a JSON text
  std::string moment_as{};   ///< member of the payload that is set to the moment; empty: none
  std::optional<std::uint8_t> priority{};
  std::string cron{};      ///< either this
  span every{};            ///< or this: moments are its multiples since 1970-01-01 UTC
  std::string zone{"UTC"}; ///< by which `cron` is read
  span jitter{};           ///< tasks are made later by up to this; the same moment always by the same time
  overlap rule = overlap::skip;
  span catch_up{std::chrono::hours{1}}; ///< for how long a moment counts that nobody has served
  std::uint32_t catch_up_max = 1;       ///< if several were not served: how many are made up for, the newest

  friend bool operator==(const schedule&, const schedule&) = default;
};

inline constexpr span every_min{1000};
inline constexpr span jitter_max{std::chrono::hours{24}};
inline constexpr std::uint32_t catch_up_limit = 100;

/// What is wrong, one sentence each, naming the field; empty: nothing.
std::vector<std::string> problems(const schedule& s);

/// Whether both have the same moments.
bool has_same_times(const schedule& a, const schedule& b);

/// The first moment after `after`; nothing: there is none. REQUIRES: there are no problems.
std::optional<instant> next_moment(const schedule& s, instant after);
/// The moment with its jitter: a function of the name and the moment. REQUIRES: there are no problems.
instant start_of(const schedule& s, instant moment);

/// Moments after `after` that are due.
struct due_moments {
  std::vector<instant> served; ///< at most catch_up_max, ascending; none is older than `jitter` and `catch_up` together
  instant missed_from;         ///< the first that is not served; unset: all are served
  instant missed_to;           ///< none after it is missed
  instant until;               ///< the last of all due moments; `after`: none is due
};
due_moments moments_due(const schedule& s, instant after, instant now);

/// "nightly@2026-11-26T01:30:00Z", with milliseconds if there are any.
std::string task_id_of(std::string_view schedule, instant moment);
/// From what such an id was made; nothing: it is no such id.
struct schedule_moment {
  std::string schedule;
  instant moment;
};
std::optional<schedule_moment> schedule_in(std::string_view task_id);

/// The payload of the task for that moment.
blob payload_for(const schedule& s, instant moment);

} // namespace steadfast::workflow
