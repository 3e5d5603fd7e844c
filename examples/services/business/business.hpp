#pragma once

#include "examples/services/requests/call.hpp"
#include "examples/services/requests/fields.hpp"

#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace services {

/// A service's decision on a request: its result, or why it refuses.
using decision = std::variant<json, refusal>;

/// One remote service: its name, its forward operation, and its decisions. A decision depends only on the body and the
/// key, so that the same request always gets the same one.
struct business {
  std::string_view name;
  std::string_view operation; ///< POST /<operation>
  std::string_view summary;
  decision (*decide)(const json& body, const std::string& key);
  /// Of an operation that takes several calls under one key, the answer after `before`; nullptr: it stays the same. Its
  /// member `state` is "done" in the end.
  json (*call_again)(const json& before) = nullptr;
};

const std::vector<business>& businesses();
const business* find_business(std::string_view name); ///< nullptr when there is none of that name

std::vector<business> drone_delivery_businesses();
std::vector<business> order_processing_businesses();
std::vector<business> slow_businesses();

/// An identifier, always the same for the same key: "pkg-" and digits.
std::string id_from_key(std::string_view prefix, const std::string& key);

} // namespace services
