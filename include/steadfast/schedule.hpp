#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace steadfast {

/// What happens at a moment when the task of an earlier one is not over.
enum class on_overlap : std::uint8_t {
  skip,   ///< no task is made
  queue,  ///< a task is made when that one has ended; of several moments, for the first
  allow,  ///< a task is made, and both run at the same time
  cancel, ///< that task is cancelled, and one is made when it has ended; of several moments for the last
};

/// Makes tasks at its moments. docs/schedules.md explains each field.
struct schedule {
  std::string name;
  std::string workflow;
  std::uint32_t version = 0;         ///< 0: the newest at that moment
  std::string cron{};                ///< either this, five fields as in "30 2 * * *",
  std::chrono::milliseconds every{}; ///< or this
  std::string zone{"UTC"};           ///< by which `cron` is read
  std::chrono::milliseconds jitter{};
  on_overlap overlap = on_overlap::skip;
  std::chrono::milliseconds catch_up{std::chrono::hours{1}}; ///< how old a moment may be when somebody serves it
  std::uint32_t catch_up_max = 1;                            ///< how many missed ones are made up for: the newest
  std::string payload{};                                     ///< a JSON text; empty: {}
  std::string moment_as{};                                   ///< the member of it that gets the moment; empty: none
  std::optional<std::uint8_t> priority{};                    ///< without it, the workflow's
};

} // namespace steadfast
