#include "apps/command_line/known_names.hpp"

#include "api/names.hpp"
#include "apps/command_line/node_access.hpp"

#include <nlohmann/json.hpp>

#include <exception>
#include <iterator>

namespace steadfast::apps {
namespace {

using nlohmann::json;

constexpr int names_max = 200;

using texts = std::vector<std::string>;

texts column(const json& rows, const char* field) {
  texts all;
  for (const auto& r : rows)
    all.push_back(r.at(field).is_string() ? r.at(field).get<std::string>() : r.at(field).dump());
  return all;
}

/// Of all steps of all workflows.
texts column_of_steps(client& node, const char* field) {
  texts all;
  const auto answer = node.call(api::workflow_list, json::object());
  for (const auto& w : answer.at("workflows"))
    for (auto& text : column(w.at("steps"), field))
      all.push_back(std::move(text));
  return all;
}

texts indexed_places(client& node) {
  texts all;
  const auto answer = node.call(api::workflow_list, json::object());
  for (const auto& w : answer.at("workflows"))
    if (w.contains("index"))
      for (const auto& place : w.at("index"))
        all.push_back(place);
  return all;
}

texts ask(client& node, const std::string& kind, const std::string& begin) {
  if (kind == "ID")
    return column(node.call(api::task_list, {{"text", begin}, {"max", names_max}}).at("tasks"), "id");
  if (kind == "WORKFLOW")
    return column(node.call(api::workflow_list, json::object()).at("workflows"), "name");
  if (kind == "STEP")
    return column_of_steps(node, "name");
  if (kind == "AGENT")
    return column_of_steps(node, "agent");
  if (kind == "INDEX")
    return indexed_places(node);
  if (kind == "ACTOR")
    return column(node.call(api::actor_list, json::object()).at("actors"), "id");
  if (kind == "KIND")
    return column(node.call(api::actor_list, json::object()).at("actors"), "kind");
  if (kind == "NODE")
    return column(node.call(api::node_list, json::object()).at("nodes"), "name");
  if (kind == "LEASE")
    return column(node.call(api::lease_list, json::object()).at("leases"), "name");
  if (kind == "NUMBER")
    return column(node.call(api::alerts_list, {{"max", names_max}}).at("alerts"), "number");
  if (kind == "BULK")
    return column(node.call(api::bulk_list, {{"all", true}, {"max", names_max}}).at("bulk_acts"), "number");
  if (kind == "INCIDENT")
    return column(node.call(api::incident_list, {{"max", names_max}}).at("incidents"), "number");
  return {};
}

} // namespace

texts known_names(const std::string& kind, const std::string& begin) {
  try {
    client node = connect({});
    return ask(node, kind, begin);
  } catch (const std::exception&) { // a completion is not worth a message
    return {};
  }
}

} // namespace steadfast::apps
