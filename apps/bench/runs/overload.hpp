#pragma once

#include <nlohmann/json.hpp>

#include <cstdint>
#include <filesystem>
#include <string>

namespace steadfast::bench {

/// So many tasks a second are offered to a service that is far too slow for ten of them and then recovers:
/// {"offered", "done", "declined": orders, "in_error", "undone", "rate_back_s": seconds from then on until, for a
/// second, 95 % of what is offered is done; -1: never}. Works in a new store in `folder` and throws failure.
nlohmann::json measure_overload(const std::filesystem::path& folder, std::uint32_t per_second);

/// For people.
std::string overload_text(const nlohmann::json& measured);

} // namespace steadfast::bench
