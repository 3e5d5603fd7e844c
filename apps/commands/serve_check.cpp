#include "apps/commands/serve_check.hpp"

#include "api/names.hpp"
#include "runtime/http/http_server.hpp"
#include "runtime/http/http_tls.hpp"
#include "runtime/text/json.hpp"
#include "steadfast/client.hpp"
#include "store/joined/partition_files.hpp"
#include "store/postgres/schema.hpp"
#include "workflow/definition/payload_needs.hpp"
#include "workflow/text/name.hpp"
#include "workflow/text/nearest.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>

namespace steadfast::apps {
namespace {

using nlohmann::json;
using workflow::definition;

/// Its file, if it is from one.
std::string place_of(const node_options& o, const definition& d) {
  const auto file = o.workflow_files.find({d.name, d.version});
  return (file == o.workflow_files.end() ? "" : file->second.string() + ": ") + "workflow " + workflow::quoted(d.name);
}

/// The parts of the workflow that the agent is for: "step `pay`, the undo of step `ship`".
std::string uses_of(const definition& d, const std::string& agent) {
  std::string all;
  const auto add = [&all](const std::string& use) { all += (all.empty() ? "" : ", ") + use; };
  for (const auto& s : d.steps) {
    const auto step = "step " + workflow::quoted(s.name);
    if (s.agent == agent)
      add(step);
    if (s.compensation && s.compensation->agent == agent)
      add("the undo of " + step);
    if (s.probe && s.probe->agent == agent)
      add("the probe of " + step);
  }
  return all;
}

void look_for_agents(const node_options& o, config_findings& found) {
  std::vector<std::string> known;
  if (o.roles.agents)
    for (const auto& a : o.agents)
      known.push_back(a.common.name);
  for (const auto& d : o.workflows)
    for (const auto& agent : workflow::agents_of(d)) {
      if (std::find(known.begin(), known.end(), agent) != known.end())
        continue;
      const auto meant = workflow::nearest(agent, known);
      auto what = place_of(o, d) + ": this node has no agent " + workflow::quoted(agent) + ", for " + uses_of(d, agent);
      what += o.cluster.is_used() ? "; another node must have it" : "; tasks would wait for it";
      what += meant ? "; did you mean " + workflow::quoted(*meant) + "?" : "";
      (o.cluster.is_used() ? found.warnings : found.problems).push_back(std::move(what));
    }
}

/// The definition stored under a name and a version, as JSON; null: none.
using stored_workflow = std::function<json(const std::string& name, std::uint32_t version)>;

stored_workflow in_files(const node_options& o) {
  store::store_options as_it_is = o.store;
  as_it_is.read_only = true;
  std::shared_ptr<store::state_store> files = store::open_store_files(as_it_is);
  return [files](const std::string& name, std::uint32_t version) {
    const auto d = files->find_definition(name, version);
    return d ? definition_json(*d) : json{};
  };
}

stored_workflow as_node_says(const node_options& o) {
  const auto node = std::make_shared<client>(o.socket.string());
  return [node](const std::string& name, std::uint32_t version) {
    try {
      return node->call(api::workflow_show, {{"name", name}, {"version", version}}).at("workflow");
    } catch (const client_error& e) {
      if (e.why() != client_error::kind::not_found)
        throw;
      return json{};
    }
  };
}

/// Nothing: there is no store yet.
std::optional<stored_workflow> what_is_stored(const node_options& o) {
  if (!o.roles.store || o.store_server.is_used())
    return as_node_says(o);
  if (!store::is_store_at(o.store.path))
    return std::nullopt;
  return in_files(o);
}

void compare_versions(const node_options& o, config_findings& found) {
  if (o.workflows.empty())
    return;
  try {
    const auto stored = what_is_stored(o);
    if (!stored)
      return;
    for (const auto& d : o.workflows)
      if (const auto known = (*stored)(d.name, d.version); !known.is_null() && known != definition_json(d))
        found.problems.push_back(place_of(o, d) + " differs from what is stored as version " + std::to_string(d.version)
                                 + ", which its tasks would follow: raise its version, or revert the change");
  } catch (const std::exception& e) { // of the store, or of the node
    found.warnings.push_back(std::string{"the workflows were not compared with the stored ones: "} + e.what());
  }
}

bool is_in_files(const node_options& o, const std::string& workflow) {
  return std::any_of(o.workflows.begin(), o.workflows.end(), [&](const auto& d) { return d.name == workflow; });
}

void look_at_schedules(const node_options& o, config_findings& found) {
  const auto now = std::chrono::floor<workflow::span>(std::chrono::system_clock::now());
  for (const auto& s : o.schedules) {
    const auto which = s.file.string() + ": schedule " + workflow::quoted(s.what.name) + ": ";
    bool is_there = false;
    for (const auto& d : o.workflows)
      if (workflow::is_for(s.what, d)) {
        is_there = true;
        for (const auto& p : workflow::problems(s.what, d, now))
          found.problems.push_back(which + p);
      }
    if (!is_there)
      found.warnings.push_back(which + "workflow " + workflow::quoted(s.what.workflow)
                               + (s.what.version == 0 ? "" : " version " + std::to_string(s.what.version))
                               + " is in no file of this node: it must be in the store already");
  }
}

void look_for_child_workflows(const node_options& o, config_findings& found) {
  for (const auto& d : o.workflows)
    for (const auto& s : d.steps)
      if (workflow::starts_child(s) && !s.wait->name.empty() && !is_in_files(o, s.wait->name))
        found.warnings.push_back(place_of(o, d) + ": step " + workflow::quoted(s.name) + " starts tasks of "
                                 + workflow::quoted(s.wait->name)
                                 + ", which is in no file of this node: it must be in the store when the step begins");
}

/// None: there is no store yet. Throws store::store_error.
std::optional<std::uint32_t> partitions_on_server(const node_options& o) {
  namespace postgres = store::postgres;
  constexpr postgres::session_limits patience{std::chrono::seconds{5}, std::chrono::seconds{5}};
  const auto where = postgres_options_of(o, {}).where;
  auto server = postgres::connection::open(where, "steadfast check", patience, std::chrono::steady_clock::now);
  const auto found = postgres::find_store(server, where.schema);
  return found.card ? std::optional{static_cast<std::uint32_t>(found.card->partitions)} : std::nullopt;
}

void look_at_server(const node_options& o, config_findings& found) {
  try {
    if (const auto there = partitions_on_server(o))
      for (auto& p : partition_problems(o, *there))
        found.problems.push_back(std::move(p));
    else
      found.warnings.emplace_back("there is no store on the server yet: `steadfast store init` makes one");
  } catch (const store::store_error& e) {
    found.warnings.push_back(std::string{"the server of the store was not asked: "} + e.what());
  }
}

void look_at_partitions(const node_options& o, config_findings& found) {
  if (o.roles.store && o.store_server.is_used())
    return look_at_server(o, found);
  if (!o.roles.store || !store::is_store_at(o.store.path))
    return;
  for (auto& p : partition_problems(o, store::partitions_at(o.store.path)))
    found.problems.push_back(std::move(p));
}

void look_at_http_files(const node_options& o, config_findings& found) {
  found.problems = runtime::file_problems(o.http);
  if (!found.problems.empty())
    return;
  if (auto why = runtime::why_untimely(o.http); !why.empty())
    found.problems.push_back(std::move(why));
}

} // namespace

config_findings look_closer(const node_options& o) {
  config_findings found;
  look_at_http_files(o, found);
  look_at_partitions(o, found);
  look_for_agents(o, found);
  look_at_schedules(o, found);
  look_for_child_workflows(o, found);
  compare_versions(o, found);
  return found;
}

} // namespace steadfast::apps
