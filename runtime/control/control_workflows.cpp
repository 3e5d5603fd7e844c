#include "api/names.hpp"
#include "runtime/assembly/limit_log.hpp"
#include "runtime/configuration/workflow_file.hpp"
#include "runtime/control/control_context.hpp"
#include "runtime/text/json.hpp"
#include "runtime/toml/config_error.hpp"
#include "workflow/text/name.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <system_error>
#include <tuple>

namespace steadfast {

namespace {

using nlohmann::json;

workflow::definition definition_of(const api::arguments& params) {
  try {
    return parse_workflow(params.text("text"), "text");
  } catch (const runtime::config_error& e) {
    throw api::error{api::error::invalid_params, e.what(), {}, "text"};
  }
}

/// What its steps need and no node that lives has: tasks would wait for them.
json missing_agents(const control_context& c, const workflow::definition& d) {
  auto missing = workflow::agents_of(d);
  static const auto none = json::object();
  const auto nodes = list_nodes(c, api::arguments{api::method_of(api::node_list), none});
  for (const auto& n : nodes.at("nodes"))
    if (n.value("alive", false))
      for (const auto& agent : n.at("agents"))
        missing.erase(agent.get<std::string>());
  return missing;
}

/// Nothing: there is no such version.
std::optional<workflow::definition> stored(const control_context& c, const workflow::definition& d) {
  for (const auto& known : workflows(c).definitions)
    if (known->name == d.name && known->version == d.version)
      return *known;
  return std::nullopt;
}

/// "order/3"
store::state_store::definition_place place_of(const std::string& text) {
  store::state_store::definition_place place{text.substr(0, text.rfind('/')), 0};
  if (text.empty())
    return place;
  const auto* const end = text.data() + text.size();
  const auto read = std::from_chars(std::min(text.data() + place.name.size() + 1, end), end, place.version);
  if (read.ec != std::errc{} || read.ptr != end)
    throw api::error{api::error::invalid_params, "`after` is not what `next` was", {}, "after"};
  return place;
}

std::string text_of(const json& definition) {
  return definition.at("name").get<std::string>() + "/" + definition.at("version").dump();
}

} // namespace

actors::workflow_page workflows(const control_context& c) {
  return c.ask<actors::workflow_page>(c.parts.reader, actors::list_workflows{});
}

json list_workflows(const control_context& c, const api::arguments& params) {
  const auto after = place_of(params.text("after"));
  const auto max = max_of(params);
  const auto all = workflows(c).definitions;
  json page = json::array();
  for (auto d = all.begin(); d != all.end(); ++d) {
    const bool is_newest = std::next(d) == all.end() || (*std::next(d))->name != (*d)->name;
    if (std::tie((*d)->name, (*d)->version) <= std::tie(after.name, after.version)
        || (params.flag("newest") && !is_newest))
      continue;
    if (page.size() == max)
      return {{"workflows", page}, {"next", text_of(*page.rbegin())}};
    page.push_back(definition_json(**d));
  }
  return {{"workflows", page}, {"next", nullptr}};
}

json show_workflow(const control_context& c, const api::arguments& params) {
  const auto name = params.text("name");
  const auto version = params.number<std::uint32_t>("version");
  actors::boxed<workflow::definition> newest;
  for (const auto& d : workflows(c).definitions)
    if (d->name == name && (version == 0 ? !newest || d->version > newest->version : d->version == version))
      newest = d;
  if (!newest)
    throw api::error{api::error::not_found, "there is no workflow `" + name + "`"};
  return {{"workflow", definition_json(*newest)}};
}

json register_workflow(const control_context& c, const api::arguments& params) {
  const auto d = definition_of(params);
  const auto before = stored(c, d);
  const auto which = "workflow `" + d.name + "` version " + std::to_string(d.version);
  if (before && *before != d)
    throw api::error{api::error::refused,
                     which
                       + " is already registered with different content, which its tasks follow: raise its version"};
  json result{{"name", d.name}, {"version", d.version}, {"created", !before}, {"agents_missing", missing_agents(c, d)}};
  if (params.flag("dry_run") || before)
    return result;
  const auto done = c.write(store::register_definition{d, {}, {}});
  if (done.result != store::write_status::applied)
    throw api::error{api::error::refused, which + ": " + done.why};
  record_done(c, params, "registered " + which);
  log_limit_warnings(c.parts.own->get(), d.name);
  result["created"] = done.created;
  return result;
}

} // namespace steadfast
