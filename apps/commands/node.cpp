#include "api/names.hpp"
#include "apps/command_line/commands.hpp"
#include "apps/command_line/filter.hpp"
#include "apps/command_line/node_access.hpp"
#include "apps/terminal/failure.hpp"
#include "apps/terminal/interrupt.hpp"
#include "apps/terminal/table.hpp"
#include "apps/views/agents.hpp"
#include "apps/views/story.hpp"
#include "runtime/text/quantity.hpp"
#include "runtime/text/time_text.hpp"
#include "runtime/tls/certificate.hpp"
#include "workflow/text/split.hpp"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <iostream>
#include <memory>
#include <optional>
#include <thread>

namespace steadfast::apps {
namespace {

using nlohmann::json;

constexpr std::chrono::milliseconds drain_look_every{200};
constexpr std::chrono::seconds drain_margin{10};

std::string number(const json& j, const char* name) {
  return std::to_string(j.value(name, std::uint64_t{0}));
}

std::string counted(const json& j, const char* name, const char* what) {
  return runtime::counted(j.value(name, std::uint64_t{0}), what);
}

void print_scheduler(const json& j) {
  std::cout << "scheduler   " << j.value("name", std::string{}) << ": " << number(j, "in_flight") << " of "
            << counted(j, "in_flight_max", "task") << " in flight, " << number(j, "claimed") << " taken, "
            << counted(j, "dispatched", "attempt") << " sent, " << number(j, "late")
            << (j.value("late", std::uint64_t{0}) == 1 ? " late reply" : " late replies")
            << (j.value("draining", false) ? ", draining" : "") << '\n';
}

void print_supervisor(const json& j, workflow::instant now) {
  const auto last = moment_text(j.value("last_sweep", json{}), now);
  std::cout << "supervisor  "
            << (j.value("active", false) ? "active, epoch " + number(j, "epoch") : "waiting for its lease") << ": "
            << counted(j, "sweeps", "sweep") << ", " << counted(j, "reviewed", "task") << " reviewed, "
            << number(j, "decided") << " decided; " << (last.empty() ? "no sweep yet" : "last sweep " + last) << '\n';
}

void print_store(const json& j) {
  std::cout << "store       " << counted(j, "commits", "commit") << " of " << counted(j, "writes", "write")
            << ", largest " << number(j, "largest_batch") << ", " << number(j, "waiting") << " waiting, last took "
            << number(j, "last_commit_us") << " us\n";
}

/// Parts that the node's roles leave out are null.
void print_parts(const json& node, workflow::instant now) {
  if (!node.at("scheduler").is_null())
    print_scheduler(node.at("scheduler"));
  if (!node.at("supervisor").is_null())
    print_supervisor(node.at("supervisor"), now);
  if (!node.at("store").is_null())
    print_store(node.at("store"));
  for (const auto& p : node.at("peers")) {
    const auto name = p.value("node", std::string{});
    const auto trouble = p.value("trouble", std::string{});
    std::cout << "peer        " << (name.empty() ? "" : name + " at ") << p.value("address", std::string{}) << ": "
              << (p.value("connected", false) ? "connected" : "not connected: " + trouble) << '\n';
  }
  if (const auto log = node.value("log", json::object()); log.value("lines_lost", std::uint64_t{0}) > 0)
    std::cout << "log         " << counted(log, "lines_lost", "line")
              << (log.value("lines_lost", std::uint64_t{0}) == 1 ? " was" : " were")
              << " lost: its disk is full, or too slow\n";
}

void print_agents(const json& node, workflow::instant now) {
  table rows{{"agent", "kind", "circuit", "in flight", "queued", "orders", "calls", "succeeded", "failed", "declined",
              "silenced"}};
  for (const auto& a : node.at("agents")) {
    const auto circuit = a.value("circuit", std::string{});
    rows.add({a.value("name", std::string{}),
              a.value("kind", std::string{}),
              {circuit, circuit == "closed" ? colour::good : colour::warning},
              number(a, "in_flight") + "/" + number(a, "in_flight_max"),
              number(a, "queued"),
              number(a, "orders"),
              number(a, "tries"),
              number(a, "succeeded"),
              number(a, "failed"),
              number(a, "declined"),
              number(a, "silenced")});
  }
  std::cout << '\n' << (rows.empty() ? "it has no agent\n" : rows.text(standard_output()));
  for (const auto& a : node.at("agents"))
    if (const auto words = circuit_words(a, now); !words.empty())
      std::cout << printable(a.value("name", std::string{})) << ": " << printable(words) << '\n';
}

int show_nodes(const node_choice& choice) {
  const auto node = connect(choice).call(api::node_describe, json::object());
  if (choice.json) {
    print_json(node);
    return 0;
  }
  print_parts(node, wall_clock());
  print_agents(node, wall_clock());
  return 0;
}

/// The day; a node without certificates has none.
cell certificate_cell(const json& until, workflow::instant now) {
  if (until.is_null())
    return "";
  const auto end = instant_of(until);
  return {utc_text(end).substr(0, std::string_view{"2027-03-01"}.size()),
          end - now < runtime::warned_before ? colour::warning : colour::plain};
}

std::string joined_partitions(const json& n) {
  std::vector<std::string> numbers;
  for (const auto& i : n.value("partitions", json::array()))
    numbers.push_back(std::to_string(i.get<std::size_t>()));
  return workflow::joined(numbers, ",");
}

std::vector<cell> node_row(const json& n, workflow::instant now) {
  const auto state = n.value("state", std::string{});
  return {n.value("name", std::string{}),
          {state, colour_of_state(state)},
          n.value("address", std::string{}),
          n.value("roles", std::string{}),
          workflow::joined(n.at("agents").get<std::vector<std::string>>(), ","),
          n.value("supervises", false) ? "yes" : "",
          moment_text(n.value("expires_at", json{}), now)};
}

void print_nodes(const json& nodes) {
  const auto now = wall_clock();
  const bool certified = std::any_of(nodes.begin(), nodes.end(),
                                     [](const json& n) { return !n.value("certificate_until", json{}).is_null(); });
  const bool divided = std::any_of(nodes.begin(), nodes.end(), [](const json& n) { return n.contains("partitions"); });
  std::vector<std::string> headings{"node", "state", "address", "roles", "agents", "supervises", "lease ends"};
  if (certified)
    headings.emplace_back("certificate ends");
  if (divided)
    headings.emplace_back("partitions");
  table rows{headings};
  for (const auto& n : nodes) {
    auto row = node_row(n, now);
    if (certified)
      row.push_back(certificate_cell(n.value("certificate_until", json{}), now));
    if (divided)
      row.push_back(joined_partitions(n));
    rows.add(std::move(row));
  }
  std::cout << (rows.empty() ? "no node has joined yet\n" : rows.text(standard_output()));
}

int list_nodes(const node_choice& choice) {
  const auto answer = connect(choice).call(api::node_list, json::object());
  const auto& nodes = answer.at("nodes");
  if (choice.json)
    for (const auto& n : nodes)
      print_json(n);
  else
    print_nodes(nodes);
  const auto trouble = store_trouble(answer);
  if (!trouble.empty())
    std::cerr << "steadfast: " << printable(trouble) << '\n';
  return trouble.empty() ? done : refused;
}

struct drain_arguments {
  node_choice node;
  std::string name;
  std::string limit = "30s";
  std::string why;
};

/// Tasks and calls that the node's actors still have in flight; nothing when it cannot be asked.
std::optional<std::uint64_t> open_work(client& node, const std::string& name) {
  std::uint64_t open = 0;
  const auto shown = node.call(api::actor_list, {{"node", name}});
  for (const auto& a : shown.at("actors"))
    open += a.value("open", std::uint64_t{0});
  return shown.at("silent_nodes").empty() ? std::optional{open} : std::nullopt;
}

int drain(const drain_arguments& g) {
  const auto limit = runtime::parse_span(g.limit);
  if (!limit)
    throw failure{wrong_usage,
                  "--limit: `" + g.limit + "` is not a duration: write " + std::string{runtime::span_rule}};
  auto node = connect(g.node);
  node.call(api::node_drain, {{"node", g.name}, {"limit_ms", limit->count()}, {"who", who_acts()}, {"why", g.why}});
  const interrupt_guard guard;
  const auto until = std::chrono::steady_clock::now() + *limit + drain_margin;
  std::optional<std::uint64_t> told;
  for (;;) {
    const auto open = open_work(node, g.name);
    if (open && open != told && !g.node.json)
      std::cout << "node " << printable(g.name) << ": " << *open << (*open == 1 ? " task or call" : " tasks and calls")
                << " in flight" << std::endl;
    told = open;
    if (open && *open == 0)
      break;
    if (interrupt_guard::interrupted())
      throw failure{interrupted, "stopped watching; the node continues to drain"};
    if (std::chrono::steady_clock::now() > until)
      throw failure{still_running, "the node is not empty after " + g.limit + "; `actors --node " + g.name
                                     + "` shows what it has in flight"};
    std::this_thread::sleep_for(drain_look_every);
  }
  if (g.node.json)
    print_json({{"node", g.name}, {"drained", true}});
  else
    std::cout << "node " << printable(g.name) << " is drained: it takes no work until it is restarted\n";
  return 0;
}

} // namespace

void add_node(CLI::App& to, command& chosen) {
  auto* node = to.add_subcommand("node", "Look into the running node and its cluster");
  node->require_subcommand(1);
  const auto add = [&](const char* name, const char* what, int (*run)(const node_choice&)) {
    auto choice = std::make_shared<node_choice>();
    auto* sub = node->add_subcommand(name, what);
    add_node_choice(*sub, *choice);
    sub->footer(std::string{"Example: steadfast node "} + name);
    sub->callback([choice, run, &chosen] { chosen = [choice, run] { return run(*choice); }; });
  };
  add("show", "Its scheduler, supervisor, store and agents, and what they have done", show_nodes);
  auto g = std::make_shared<drain_arguments>();
  auto* drain_sub = node->add_subcommand("drain", "Stop giving a node work, so that it can be stopped");
  drain_sub->add_option("name", g->name, "The node")->required()->check(why_empty, "")->type_name("NODE");
  drain_sub->add_option("--limit", g->limit, "Time for attempts under way to end [30s]")->type_name("DURATION");
  drain_sub->add_option("--why", g->why, "Reason, kept among the alerts")->type_name("TEXT");
  add_node_choice(*drain_sub, g->node);
  drain_sub->footer(
    "Its scheduler finishes or gives back its tasks, its agents accept no orders, and the other nodes take over\n"
    "its leases, and a store on PostgreSQL. It stays up, and accepts work again after a restart.\n\n"
    "Example: steadfast node drain node-2 --why 'kernel update'");
  drain_sub->callback([g, &chosen] { chosen = [g] { return drain(*g); }; });
  add("list", "All nodes of the cluster: which are alive, their roles and agents, who supervises", list_nodes);
}

} // namespace steadfast::apps
