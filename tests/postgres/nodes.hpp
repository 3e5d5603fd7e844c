#pragma once

#include "runtime/text/address.hpp"
#include "tests/postgres/server.hpp"
#include "tests/support/comes_true.hpp"
#include "tests/support/processes/node_process.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace steadfast::tests {

inline constexpr const char* short_leases =
  "[cluster.lease]\nttl = \"2s\"\nrenew_every = \"500ms\"\nmargin = \"500ms\"\n";

/// A node that is one of several on the same store.
class node_on_a_server : public node_process {
public:
  /// `address`: host:port where the others reach it; empty: nowhere. `more`: tables of its configuration. `advertised`:
  /// what the others are told instead.
  node_on_a_server(const std::string& name, const std::string& url, const std::string& address = "",
                   const std::string& more = "", const std::string& advertised = "")
      : node_process{STEADFAST_BINARY,
                     "url = \"" + url + "\"\nlease = \"1s\"\n"
                       + (address.empty() ? "" : "[cluster]\nlisten = \"" + address + "\"\n")
                       + (advertised.empty() ? "" : "advertise = \"" + advertised + "\"\n") + short_leases + more,
                     {},
                     name} {}

  /// Starts one that has to wait.
  std::unique_ptr<running_program> waiting() const {
    auto started =
      std::make_unique<running_program>(STEADFAST_BINARY, std::vector<std::string>{"serve", "-c", config()});
    if (!started->says("waits for its turn", hang_limit))
      throw std::runtime_error{"the node does not wait: " + started->err()};
    return started;
  }

  bool submit(const std::string& id, const std::string& workflow = "three") const {
    return command({"submit", workflow, "--id", id, "--data", "{}"}).code == 0;
  }
  /// As a person asks who comes again: while the store moves, the node may not know yet who has it.
  std::vector<nlohmann::json> json_of(const std::vector<std::string>& arguments) const {
    std::vector<nlohmann::json> lines;
    std::string why;
    const auto is_told = [&] {
      try {
        lines = node_process::json_of(arguments);
        return true;
      } catch (const std::runtime_error& e) {
        why = e.what();
        return false;
      }
    };
    if (!comes_true(is_told))
      throw std::runtime_error{why};
    return lines;
  }
  /// The ids of those that are processed.
  std::set<std::string> processed() const {
    std::set<std::string> ids;
    for (const auto& t : json_of({"task", "list", "--json", "--limit", "1000"}))
      if (t.value("process_state", "") == "processed")
        ids.insert(t.at("id"));
    return ids;
  }
};

/// Nodes n1, n2 and so on, which reach each other. Each has an agent of its own name, which the workflow `everywhere`
/// calls. The first has the store at first.
struct cluster_on_a_server {
  /// The URL of each node; they are one server. `more`: tables of each node's configuration.
  explicit cluster_on_a_server(const std::vector<std::string>& urls, const std::string& more = "") {
    for (const auto port : runtime::free_ports(urls.size()))
      addresses.push_back("127.0.0.1:" + std::to_string(port));
    std::string everywhere = "name = \"everywhere\"\n";
    for (std::size_t i = 0; i < urls.size(); ++i)
      everywhere += "[[step]]\nname = \"" + name(i) + "\"\nagent = \"" + name(i) + "\"\n";
    for (std::size_t i = 0; i < urls.size(); ++i) {
      const auto agent = "[[agent]]\nname = \"" + name(i) + "\"\nprogram = \"/bin/cat\"\nallow_root = true\n";
      nodes.push_back(std::make_unique<node_on_a_server>(name(i), urls[i], addresses[i], more + agent));
      nodes.back()->folder().write("workflows/everywhere.toml", everywhere);
      nodes.back()->start();
    }
  }
  explicit cluster_on_a_server(const std::string& url, const std::string& more = "")
      : cluster_on_a_server{std::vector<std::string>{url, url, url}, more} {}

  static std::string name(std::size_t i) { return "n" + std::to_string(i + 1); }

  /// The nodes that are alive and have the store, as that one sees it.
  std::vector<std::string> with_store(std::size_t seen_by) const {
    std::vector<std::string> names;
    for (const auto& n : nodes[seen_by]->json_of({"node", "list", "--json"}))
      if (n.at("alive") == true && n.at("roles").get<std::string>().find("store") != std::string::npos)
        names.push_back(n.at("name"));
    return names;
  }
  /// Which of the living has the store, once the other of them knows it too. One that was killed seems to live until
  /// its lease ends.
  std::size_t owner(const std::vector<std::size_t>& living) const {
    std::size_t found = 0;
    if (!comes_true([&] {
          const auto names = with_store(living.front());
          found = names.size() == 1 ? std::size_t(names[0].back() - '1') : nodes.size();
          const bool is_living = std::find(living.begin(), living.end(), found) != living.end();
          return is_living && with_store(living.back()) == names;
        }))
      throw std::runtime_error{"it is not known who has the store"};
    return found;
  }

  /// One more node, n4, which has agents alone, knows nothing of the server, and was started. `store`: lines of its
  /// table.
  std::unique_ptr<node_process> agents_alone(const std::string& store = "") const {
    auto n = std::make_unique<node_process>(STEADFAST_BINARY, "", std::vector<std::string>{}, "n4");
    n->folder().write("node.toml", "name = \"n4\"\nroles = [\"agents\"]\n[store]\n" + store + "[cluster]\njoin = \""
                                     + addresses[0] + "," + addresses[1] + "," + addresses[2] + "\"\n" + short_leases
                                     + "[control]\nsocket = \"control.sock\"\n[[agent]]\nname = \"quick\"\n"
                                       "program = \"/bin/cat\"\nallow_root = true\n");
    n->start();
    return n;
  }

  std::vector<std::string> addresses;
  std::vector<std::unique_ptr<node_on_a_server>> nodes;
};

/// The node that has the whole store, by the word of the server; empty: none.
inline std::string holder(const postgres_server& server) {
  const auto name = server.sql(
    {"select case when count(distinct holder) = 1 then min(holder) else '' end from steadfast.partition_owner"});
  return name.substr(0, name.find('@'));
}

/// How many partitions each node has, by the word of the server.
inline std::map<std::string, int> shares(const postgres_server& server) {
  std::map<std::string, int> all;
  std::istringstream names{server.sql({"select string_agg(split_part(holder, '@', 1), ' ') from"
                                       " steadfast.partition_owner"})};
  for (std::string name; names >> name;)
    ++all[name];
  return all;
}

/// Each of three nodes has one of three partitions; of one partition, the node that came first has it.
inline bool is_spread(const postgres_server& server, int partitions) {
  const std::map<std::string, int> all{{"n1", 1}, {"n2", 1}, {"n3", 1}};
  return comes_true([&] { return shares(server) == (partitions == 1 ? std::map<std::string, int>{{"n1", 1}} : all); });
}

inline void init_store(const std::string& url, int partitions = 1) {
  const auto end =
    run_program(STEADFAST_BINARY, {"store", "init", "--url", url, "--partitions", std::to_string(partitions)});
  if (end.code != 0)
    throw std::runtime_error{"there is no store: " + end.err};
}

} // namespace steadfast::tests
