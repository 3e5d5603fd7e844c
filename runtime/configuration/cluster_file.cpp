#include "runtime/configuration/cluster_file.hpp"

#include "runtime/configuration/config_file.hpp"
#include "runtime/toml/config_error.hpp"
#include "runtime/toml/toml_file.hpp"
#include "workflow/text/name.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <sstream>
#include <system_error>
#include <utility>

namespace steadfast {

namespace {

namespace fs = std::filesystem;

/// A [[node]] table.
struct node_entry {
  std::string name;
  std::optional<std::vector<std::string>> roles; ///< none: as a node that is not told has them
  std::string listen;
  std::string http;                ///< where it answers over HTTP; empty: as all nodes do, or not at all
  std::vector<std::string> agents; ///< names of the [[agent]] tables that it has; empty: all

  bool has_store() const {
    return roles ? std::find(roles->begin(), roles->end(), "store") != roles->end() : node_options{}.roles.store;
  }
};

std::vector<node_entry> read_nodes(runtime::toml_section& root) {
  std::vector<node_entry> nodes;
  for (auto& s : root.sections("node")) {
    node_entry n;
    s.read("name", n.name);
    if (s.table().contains("roles"))
      s.read("roles", n.roles.emplace());
    s.read("listen", n.listen);
    s.read("http", n.http);
    s.read("agents", n.agents);
    s.end();
    nodes.push_back(std::move(n));
  }
  return nodes;
}

/// Where nodes that may have the store listen: one, but several take turns at a store on a server.
std::string store_addresses(const std::vector<node_entry>& nodes, runtime::toml_section& root) {
  std::string addresses;
  std::size_t stores = 0;
  std::set<std::string> names;
  for (const auto& n : nodes) {
    if (!names.insert(n.name).second)
      root.complain("node", "there are two nodes `" + n.name + "`");
    if (n.has_store()) {
      ++stores;
      addresses += (addresses.empty() ? "" : ",") + n.listen;
    }
  }
  const bool on_server = !root.table()["store"]["url"].value_or(std::string{}).empty();
  if (stores == 0 || (stores > 1 && !on_server))
    root.complain("node", (on_server ? "at least one node must have the role `store`, not "
                                     : "exactly one node must have the role `store`, not ")
                            + std::to_string(stores)
                            + (stores > 1 ? ": several may, with the `url` of a store on PostgreSQL" : ""));
  return addresses;
}

toml::array array_of(const std::vector<std::string>& texts) {
  toml::array a;
  for (const auto& t : texts)
    a.push_back(t);
  return a;
}

/// The table of that name, made if it is not there.
toml::table& table_in(toml::table& t, const char* name) {
  if (!t[name].is_table())
    t.insert_or_assign(name, toml::table{});
  return *t[name].as_table();
}

/// Relative to the cluster file, which may itself be named relative to the current folder. It need not exist: made
/// absolute first, for what does not exist otherwise stays relative.
fs::path in_folder_of(const fs::path& file, const fs::path& given, std::error_code& error) {
  const auto whole = fs::absolute(file.parent_path() / given, error);
  return error ? whole : fs::weakly_canonical(whole, error);
}

/// Workflows are named relative to the cluster file, and the node's configuration is elsewhere.
toml::array absolute_workflows(runtime::toml_section& root, const fs::path& file) {
  std::vector<std::string> given;
  root.read("workflows", given);
  toml::array paths;
  for (const auto& p : given) {
    std::error_code error;
    paths.push_back(in_folder_of(file, p, error).string());
    if (error)
      root.complain("workflows", workflow::quoted(p) + " is no path: " + error.message());
  }
  return paths;
}

/// `{ file = "..." }`, which stands for a secret, at any depth.
void make_secrets_absolute(toml::table& t, const fs::path& file) {
  for (auto&& [key, value] : t) {
    auto* const inner = value.as_table();
    if (inner == nullptr)
      continue;
    const auto given = (*inner)["file"].value<std::string>();
    std::error_code error;
    if (inner->size() == 1 && given)
      inner->insert_or_assign("file", in_folder_of(file, *given, error).string());
    else
      make_secrets_absolute(*inner, file);
  }
}

/// What a section names beside the cluster file is not beside the configuration of a node.
void make_absolute(toml::table& section, const fs::path& file) {
  for (const auto* const name : {"tokens", "certificate", "key", "authority", "ca_file", "directory"})
    if (const auto given = section[name].value<std::string>(); given && !given->empty()) {
      std::error_code error;
      section.insert_or_assign(name, in_folder_of(file, *given, error).string());
    }
  make_secrets_absolute(section, file);
}

void make_all_absolute(toml::table& base, const fs::path& file) {
  for (auto&& [key, value] : base) {
    if (auto* const section = value.as_table())
      make_absolute(*section, file);
    if (auto* const sections = value.as_array())
      for (auto& one : *sections)
        if (auto* const section = one.as_table())
          make_absolute(*section, file);
  }
}

/// REQUIRES: agents, if there are any, are a list of tables.
void keep_agents(toml::table& t, const std::vector<std::string>& names) {
  auto* all = t["agent"].as_array();
  if (names.empty() || !all)
    return;
  toml::array kept;
  for (const auto& a : *all)
    if (const auto name = (*a.as_table())["name"].value_or(std::string{});
        std::find(names.begin(), names.end(), name) != names.end())
      kept.push_back(*a.as_table());
  t.insert_or_assign("agent", std::move(kept));
}

/// The folder where `steadfast cluster certs` made them, relative to the cluster file; empty: the nodes have none.
fs::path certificate_folder(runtime::toml_section& root, const fs::path& file) {
  fs::path given;
  root.read("certificates", given);
  std::error_code error;
  return given.empty() ? given : in_folder_of(file, given, error);
}

void name_certificates(toml::table& cluster, const fs::path& folder, const std::string& node) {
  cluster.insert_or_assign("certificate", (folder / (node + ".pem")).string());
  cluster.insert_or_assign("key", (folder / (node + ".key")).string());
  cluster.insert_or_assign("authority", (folder / "authority.pem").string());
}

/// What all nodes of a cluster have in common.
struct common_parts {
  toml::table base;
  toml::array workflows;
  fs::path certificates;
  std::string join;
};

std::string config_of(const node_entry& n, const common_parts& common) {
  auto base = common.base;
  base.insert_or_assign("name", n.name);
  if (n.roles)
    base.insert_or_assign("roles", array_of(*n.roles));
  base.erase("workflows");
  auto& cluster = table_in(base, "cluster");
  cluster.insert_or_assign("listen", n.listen);
  if (!n.http.empty())
    table_in(base, "http").insert_or_assign("listen", n.http);
  if (n.has_store()) {
    base.insert_or_assign("workflows", common.workflows);
  } else {
    cluster.insert_or_assign("join", common.join);
    base.erase("webhook"); // a node with the store delivers
  }
  if (!common.certificates.empty())
    name_certificates(cluster, common.certificates, n.name);
  table_in(base, "store").insert_or_assign("path", "store");
  table_in(base, "control").insert_or_assign("socket", "control.sock");
  table_in(base, "log").insert_or_assign("file", "log");
  keep_agents(base, n.agents);
  std::ostringstream text;
  text << "# Written by `steadfast cluster up`, which overwrites it each time.\n\n" << base << '\n';
  return text.str();
}

} // namespace

std::vector<planned_node> plan_cluster(const fs::path& file, const fs::path& folder) {
  auto base = runtime::parse_toml(runtime::read_text_file(file), file.string());
  runtime::toml_report report{file.string()};
  runtime::toml_section root{base, "", report};
  auto where = folder;
  if (where.empty())
    root.read("folder", where);
  if (where.empty())
    root.complain("folder", "must name the folder where the nodes' folders are made");
  const auto nodes = read_nodes(root);
  const auto join = store_addresses(nodes, root);
  auto workflows = absolute_workflows(root, file);
  auto certificates = certificate_folder(root, file);
  root.sections("agent");
  report.throw_if_any();
  base.erase("folder");
  base.erase("node");
  base.erase("certificates");
  make_all_absolute(base, file);
  const common_parts common{std::move(base), std::move(workflows), std::move(certificates), join};
  std::vector<planned_node> plan;
  for (const auto& n : nodes) {
    plan.push_back({n.name, fs::absolute(where) / n.name, config_of(n, common)});
    parse_config(plan.back().config, file.string() + ", node " + n.name);
  }
  return plan;
}

} // namespace steadfast
