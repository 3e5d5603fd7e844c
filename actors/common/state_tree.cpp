#include "actors/common/state_tree.hpp"

#include "workflow/time/time_text.hpp"

#include <nlohmann/json.hpp>

namespace steadfast::actors {

namespace {

std::string quoted_json(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

} // namespace

state_value::state_value(std::string_view text) : json_{quoted_json(text)} {}

state_value::state_value(workflow::instant t)
    : json_{t == workflow::unset || t > workflow::instant_max ? "null" : quoted_json(workflow::utc_text(t))} {}

state_value state_value::array(const std::vector<std::string>& values) {
  state_value all;
  for (const auto& v : values)
    all.json_ += (all.json_.empty() ? "" : ",") + v;
  all.json_ = "[" + all.json_ + "]";
  return all;
}

void state_tree::add(std::initializer_list<state_member> members) {
  for (const auto& m : members)
    members_ += (members_.empty() ? "" : ",") + quoted_json(m.name) + ":" + m.value.json();
}

} // namespace steadfast::actors
