#include "workflow/definition/payload_index.hpp"

#include "workflow/text/json_place.hpp"
#include "workflow/text/json_scan.hpp"
#include "workflow/text/json_text.hpp"
#include "workflow/text/name.hpp"

#include <algorithm>
#include <optional>

namespace steadfast::workflow {
namespace {

std::optional<std::string> plain_value(std::string_view json) {
  json_scan in{json};
  switch (in.next()) {
    case '"': return in.string();
    case '{':
    case '[':
    case 'n': return std::nullopt;
    default: return std::string{in.word()};
  }
}

} // namespace

std::vector<payload_value> indexed_values(const definition& d, std::string_view payload) {
  std::vector<payload_value> found;
  if (d.index.empty() || !is_json(payload))
    return found;
  for (const auto& place : d.index) {
    const auto json = json_value_at(payload, place);
    auto value = json ? plain_value(*json) : std::nullopt;
    if (value && value->size() <= index_value_size_max)
      found.push_back({place, *std::move(value)});
  }
  return found;
}

std::vector<std::string> problems_of_index(const std::vector<std::string>& places) {
  std::vector<std::string> wrong;
  if (places.size() > index_places_max)
    wrong.push_back("index must have at most " + std::to_string(index_places_max) + " places");
  for (auto p = places.begin(); p != places.end(); ++p) {
    if (p->empty() || !is_json_pointer(*p))
      wrong.push_back("index place " + quoted(*p) + " is not a JSON Pointer such as /customer");
    if (p->size() > index_place_size_max)
      wrong.push_back("index place " + quoted(*p) + " must have at most " + std::to_string(index_place_size_max)
                      + " bytes");
    if (std::find(places.begin(), p, *p) != p)
      wrong.push_back("index names " + quoted(*p) + " twice");
  }
  return wrong;
}

} // namespace steadfast::workflow
