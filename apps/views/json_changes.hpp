#pragma once

#include "apps/terminal/terminal.hpp"

#include <nlohmann/json.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

// How two JSON documents differ, and one for people to edit.

namespace steadfast::apps {

/// What is at a place (a JSON Pointer) in one document and in the other; nothing: there is no such place.
struct json_change {
  std::string pointer;
  std::optional<nlohmann::json> before;
  std::optional<nlohmann::json> after;
};

/// In the order of the places; empty: they say the same. Both as `exact_json` reads them. Elements of arrays of
/// different lengths are compared after what both begin with and before what both end with.
std::vector<json_change> json_changes(const nlohmann::json& before, const nlohmann::json& after);

/// A line for each: "  /customer/name: "Ann" -> "Anna"".
std::string changes_text(const std::vector<json_change>& changes, const terminal& to);

/// As an array of `pointer`, `before` and `after`, which are left out where there is no such place.
nlohmann::json changes_json(const std::vector<json_change>& changes);

/// With line ends and two spaces for each level. REQUIRES: workflow::is_compact_json(text).
std::string indented_json(std::string_view text);

} // namespace steadfast::apps
