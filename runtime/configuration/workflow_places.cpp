#include "runtime/configuration/workflow_places.hpp"

#include "workflow/definition/wait_end.hpp"
#include "workflow/time/time_text.hpp"

#include <nlohmann/json.hpp>

namespace steadfast {

namespace {

workflow::source text_itself(std::string_view text) {
  return {workflow::source::kind::literal, {}, {}, nlohmann::json(text).dump()};
}

} // namespace

std::optional<workflow::source> parse_source(std::string_view text) {
  const auto colon = text.find(':');
  if (colon == std::string_view::npos || colon == 0)
    return std::nullopt;
  workflow::source s;
  s.pointer = text.substr(colon + 1);
  if (text.substr(0, colon) == "payload")
    return s;
  s.from = workflow::source::kind::result;
  s.step = text.substr(0, colon);
  return s;
}

std::optional<workflow::wait_rule> parse_until(std::string_view text) {
  if (text.starts_with("next ")) {
    auto rule = workflow::parse_next(text);
    if (rule)
      rule->at = parse_source(rule->at.literal).value_or(text_itself(rule->at.literal));
    return rule;
  }
  workflow::wait_rule rule;
  rule.what = workflow::wait_rule::kind::until;
  auto place = workflow::parse_moment(text) ? text_itself(text) : parse_source(text);
  if (!place)
    return std::nullopt;
  rule.at = *std::move(place);
  return rule;
}

} // namespace steadfast
