#pragma once

#include <nlohmann/json.hpp>

#include <cstdint>
#include <filesystem>
#include <string>

// The HTTP port of a node in conditions that are none of the usual load. All work in a new store in `folder` and throw
// failure.

namespace steadfast::bench {

/// {"with", "without": bytes of memory of a node at rest, "more"}
nlohmann::json measure_idle_gateway(const std::filesystem::path& folder);

/// So many submissions a second, far more than can be taken: what flood() gives, and {"in_store", "lost"}
nlohmann::json measure_flood(const std::filesystem::path& folder, std::uint32_t per_second);

/// So many clients, each of which follows a task of its own: what follow() gives, and {"cpu_ms": of the node, an event}
nlohmann::json measure_followers(const std::filesystem::path& folder, std::uint32_t streams);

/// So many clients, each of which follows all tasks. Likewise.
nlohmann::json measure_followers_of_all(const std::filesystem::path& folder, std::uint32_t streams);

/// For people.
std::string gateway_text(const nlohmann::json& measured);

} // namespace steadfast::bench
