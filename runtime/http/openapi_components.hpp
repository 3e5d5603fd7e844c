#pragma once

#include "api/method.hpp"

#include <nlohmann/json.hpp>

#include <string>
#include <string_view>
#include <vector>

// What the OpenAPI document describes once.

namespace steadfast::runtime {

/// {"$ref": "#/components/schemas/task"}
nlohmann::json reference_to(const std::string& kind, const std::string& name);
nlohmann::json schema_of(const api::parameter& p);
/// The name of the schema of its answer: "task_list_answer".
std::string name_of_answer(const api::method& m);
nlohmann::json content_of(const nlohmann::json& schema, const char* type = "application/json");
/// What every operation can be refused with, and what has these statuses.
nlohmann::json refusals(const std::vector<std::string_view>& more);

nlohmann::json openapi_components();

} // namespace steadfast::runtime
