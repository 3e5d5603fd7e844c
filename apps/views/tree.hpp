#pragma once

#include "apps/terminal/terminal.hpp"
#include "workflow/time/time.hpp"

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace steadfast::apps {

/// A JSON object for people: a line for each member, moments with their age, lists of objects as tables.
std::string tree_text(const nlohmann::json& object, workflow::instant now, const terminal& to);

} // namespace steadfast::apps
