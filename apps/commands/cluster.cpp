#include "api/names.hpp"
#include "apps/certificates/cluster_certificates.hpp"
#include "apps/command_line/commands.hpp"
#include "apps/command_line/node_access.hpp"
#include "apps/terminal/failure.hpp"
#include "apps/terminal/table.hpp"
#include "runtime/configuration/cluster_file.hpp"
#include "runtime/node/node_processes.hpp"
#include "steadfast/node_error.hpp"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <fstream>
#include <iostream>
#include <memory>
#include <thread>

namespace steadfast::apps {
namespace {

using nlohmann::json;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr seconds start_limit{60};
constexpr seconds stop_limit{60}; ///< beyond what a node allows itself to drain
constexpr milliseconds look_again{100};

struct cluster_choice {
  std::string file;
  std::string folder;
  bool json = false;
};

/// What a node answers; null when it does not.
json ask(const planned_node& n, const char* method) {
  try {
    return client{n.socket().string()}.call(method, json::object());
  } catch (const client_error&) {
    return {};
  }
}

// ---- up ----

void write_config(const planned_node& n) {
  std::filesystem::create_directories(n.folder);
  std::filesystem::permissions(n.folder, std::filesystem::perms::owner_all);
  std::ofstream out{n.config_file(), std::ios::trunc};
  out << n.config;
  if (!out.flush())
    throw failure{cannot_start, n.config_file().string() + " cannot be written"};
}

void await_answer(const planned_node& n, pid_t process) {
  const auto until = std::chrono::steady_clock::now() + start_limit;
  while (ask(n, api::node_describe).is_null()) {
    if (const auto code = end_of(process))
      throw failure{cannot_start, "node " + n.name + " ended with exit code " + std::to_string(*code) + ": "
                                    + last_line(n.log_file())};
    if (std::chrono::steady_clock::now() > until)
      throw failure{cannot_start, "node " + n.name + " does not answer; see " + n.log_file().string()};
    std::this_thread::sleep_for(look_again);
  }
}

void start(const planned_node& n) {
  if (const auto process = process_behind(n.socket())) {
    std::cout << "node " << n.name << ": runs already, process " << *process << '\n';
    return;
  }
  write_config(n);
  const auto process = start_node(std::filesystem::read_symlink("/proc/self/exe"), n.config_file(), n.log_file());
  await_answer(n, process);
  std::cout << "node " << n.name << ": process " << process << ", log " << n.log_file().string() << std::endl;
}

std::size_t count_living(const planned_node& n) {
  const auto answer = ask(n, api::node_list);
  std::size_t living = 0;
  if (!answer.is_null())
    for (const auto& node : answer.at("nodes"))
      living += node.value("alive", false) ? 1 : 0;
  return living;
}

/// Waits until each of them sees all nodes.
void await_all_joined(const std::vector<planned_node>& plan) {
  const auto until = std::chrono::steady_clock::now() + start_limit;
  for (const auto& n : plan)
    while (count_living(n) < plan.size()) {
      if (std::chrono::steady_clock::now() > until)
        throw failure{cannot_start,
                      "node " + n.name + " does not see the others; see " + n.log_file().string()
                        + " and the logs of the others, which run on: `steadfast cluster down` ends them"};
      std::this_thread::sleep_for(look_again);
    }
}

int up(const cluster_choice& c) {
  const auto plan = plan_cluster(c.file, c.folder);
  try {
    for (const auto& n : plan)
      start(n);
  } catch (const node_error& e) {
    throw failure{cannot_start, e.what()};
  }
  await_all_joined(plan);
  std::cout << "the cluster is up; commands reach it by any of its nodes: --socket " << plan.front().socket().string()
            << "\nsteadfast cluster down " << c.file << " stops it\n";
  return done;
}

// ---- status ----

void add_row(table& rows, const planned_node& n, const json& listed) {
  const auto process = process_behind(n.socket());
  const auto about = ask(n, api::node_describe);
  const auto in_flight = about.is_null() || about.at("scheduler").is_null()
                           ? std::string{"-"}
                           : std::to_string(about.at("scheduler").value("in_flight", 0));
  json seen;
  if (!listed.is_null())
    for (const auto& node : listed.at("nodes"))
      if (node.value("name", std::string{}) == n.name)
        seen = node;
  const bool alive = !seen.is_null() && seen.value("alive", false);
  rows.add({n.name, process ? std::to_string(*process) : "-",
            !process          ? cell{"stopped", colour::warning}
            : about.is_null() ? cell{"does not answer", colour::bad}
            : alive           ? cell{"alive", colour::good}
                              : cell{"not in the cluster", colour::warning},
            seen.is_null() ? "" : seen.value("roles", std::string{}), in_flight,
            !seen.is_null() && seen.value("supervises", false) ? "yes" : ""});
}

int status(const cluster_choice& c) {
  const auto plan = plan_cluster(c.file, c.folder);
  json listed;
  for (const auto& n : plan)
    if (listed.is_null())
      listed = ask(n, api::node_list);
  if (c.json) {
    print_json(listed.is_null() ? json{{"nodes", json::array()}} : listed);
    return listed.is_null() ? no_node : store_trouble(listed).empty() ? done : refused;
  }
  table rows{{"node", "process", "state", "roles", "tasks", "supervises"}};
  for (const auto& n : plan)
    add_row(rows, n, listed);
  std::cout << rows.text(standard_output());
  if (listed.is_null())
    return no_node;
  const auto trouble = store_trouble(listed);
  if (!trouble.empty())
    std::cerr << "steadfast: " << printable(trouble) << '\n';
  return trouble.empty() ? done : refused;
}

// ---- down ----

/// In reverse order of their start, so that the store is there until the others have given back their tasks.
int down(const cluster_choice& c) {
  auto plan = plan_cluster(c.file, c.folder);
  std::reverse(plan.begin(), plan.end());
  bool all = true;
  for (const auto& n : plan) {
    const auto process = process_behind(n.socket());
    const bool gone = !process || stop_process(*process, stop_limit);
    std::cout << "node " << n.name << ": "
              << (!process ? "was not running"
                  : gone   ? "stopped"
                           : "does not stop, process " + std::to_string(*process))
              << std::endl;
    all = all && gone;
  }
  return all ? done : try_again;
}

// ---- certs ----

int certs(const certificate_order& order) {
  if (order.nodes.empty() && order.stores.empty() && order.clients.empty())
    throw failure{wrong_usage, "no node is named: give the nodes, such as `steadfast cluster certs --store a b c`"};
  for (const auto& file : make_certificates(order))
    std::cout << file.string() << '\n';
  std::cout << "A node's [cluster] needs: certificate, key, and authority = \""
            << (order.folder / "authority.pem").string() << "\".\nKeep authority.key off the nodes.\n";
  return done;
}

int renew(const certificate_renewal& order) {
  for (const auto& file : renew_certificates(order))
    std::cout << file.string() << '\n';
  std::cout << "Copy each to its host, and send its node SIGHUP: it rereads the files without stopping.\n";
  return done;
}

void add_days(CLI::App& to, std::uint32_t& days) {
  to.add_option("--days", days, "How many days a certificate is valid")->capture_default_str();
}

void add_certs(CLI::App& to, command& chosen) {
  const char* const folder = "steadfast-certs";
  auto order = std::make_shared<certificate_order>();
  auto* sub = to.add_subcommand("certs", "Make certificates with which nodes on several hosts authenticate each other");
  sub->add_option("nodes", order->nodes, "Names of nodes");
  sub->add_option("--store", order->stores, "A node that may have the store")
    ->type_name("NODE")
    ->allow_extra_args(false) // what follows the name is another node
    ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  sub->add_option("--client", order->clients, "A program with client actors, which is not a node")
    ->type_name("NAME")
    ->allow_extra_args(false) // what follows the name is a node
    ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  sub->add_option("--host", order->hosts, "A name or address by which HTTP clients ask these nodes")
    ->type_name("HOST")
    ->allow_extra_args(false) // what follows it is a node
    ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  sub->add_option("--folder", order->folder, "Where to put them")->type_name("DIR")->default_val(folder);
  add_days(*sub, order->days);
  sub->footer("Existing files stay, so that nodes can be added later.\n\n"
              "Example: steadfast cluster certs --store a b c --client desk\n"
              "         steadfast cluster certs d --host d.example --host 10.0.0.4\n"
              "         steadfast cluster certs renew b");
  auto renewal = std::make_shared<certificate_renewal>();
  auto* again =
    sub->add_subcommand("renew", "Make new certificates before the old ones end, for the same names and keys");
  again->add_option("names", renewal->names, "Of nodes and clients; none: all existing ones");
  again->add_option("--folder", renewal->folder, "Where they were made, with authority.key")
    ->type_name("DIR")
    ->default_val(folder);
  add_days(*again, renewal->days);
  again->callback([renewal, &chosen] { chosen = [renewal] { return renew(*renewal); }; });
  sub->callback([order, again, &chosen] {
    if (!again->parsed())
      chosen = [order] { return certs(*order); };
  });
}

} // namespace

void add_cluster(CLI::App& to, command& chosen) {
  auto* cluster = to.add_subcommand("cluster", "Several nodes on this host, and what those on several hosts need");
  cluster->require_subcommand(1);
  const auto add = [&](const char* name, const char* what, int (*run)(const cluster_choice&)) {
    auto choice = std::make_shared<cluster_choice>();
    auto* sub = cluster->add_subcommand(name, what);
    sub->add_option("file", choice->file, "The cluster, such as config/clusters/three.toml")
      ->type_name("FILE")
      ->required();
    sub->add_option("--folder", choice->folder, "Where its nodes' folders are, instead of what the file says")
      ->type_name("DIR");
    if (std::string{name} == "status")
      sub->add_flag("--json", choice->json, "Print JSON");
    sub->footer(std::string{"Example: steadfast cluster "} + name + " config/clusters/three.toml");
    sub->callback([choice, run, &chosen] { chosen = [choice, run] { return run(*choice); }; });
  };
  add("up", "Start the nodes that do not run, and wait until they have found each other", up);
  add("status", "Which nodes are running, alive and supervising", status);
  add("down", "Stop all nodes cleanly", down);
  add_certs(*cluster, chosen);
}

} // namespace steadfast::apps
