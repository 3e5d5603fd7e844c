#pragma once

#include <nlohmann/json.hpp>

#include <cstdint>
#include <filesystem>

// The cost of a start. Each works in a new store in `folder` and throws failure.

namespace steadfast::bench {

/// `steadfast serve` on an empty store, `times` times: {"ready_ms": the median until it answers a client,
/// "resident_bytes": some seconds later}.
nlohmann::json measure_start(const std::filesystem::path& folder, std::size_t times);

/// A node that holds so many unfinished tasks, as many of them at agents as it may have in flight, is killed with
/// SIGKILL and started again: {"ready_ms", "first_dispatch_ms", "resident_bytes", "resident_peak_bytes"}.
nlohmann::json measure_restart(const std::filesystem::path& folder, std::uint64_t tasks);

/// A node that goes through tasks, so many at a time, is killed with SIGKILL and started again: {"open": tasks found
/// unfinished, "first_dispatch_ms", "all_done_ms"}.
nlohmann::json measure_kill(const std::filesystem::path& folder, std::uint32_t in_flight);

} // namespace steadfast::bench
