#pragma once

#include <nlohmann/json.hpp>

#include <cstdint>
#include <filesystem>
#include <string>

// Workflows that wait, fan out and contain each other, on a node of their own (load/waiting_load.hpp says what the
// figures are). All work in a new store in `folder` and throw failure.

namespace steadfast::bench {

/// So many tasks that wait for an event each, and the events.
nlohmann::json measure_events(const std::filesystem::path& folder, std::uint64_t tasks);
/// So many tasks that wait for one event, while whose node is killed with SIGKILL and started again.
nlohmann::json measure_release(const std::filesystem::path& folder, std::uint64_t tasks);
nlohmann::json measure_sleepers(const std::filesystem::path& folder, std::uint64_t per_second, std::uint64_t seconds);
nlohmann::json measure_items(const std::filesystem::path& folder, std::uint64_t tasks, std::uint64_t items);
nlohmann::json measure_children(const std::filesystem::path& folder, std::uint64_t tasks);
nlohmann::json measure_limit(const std::filesystem::path& folder, std::uint64_t tasks);

} // namespace steadfast::bench
