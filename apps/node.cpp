#include "apps/commands.hpp"
#include "apps/filter.hpp"
#include "apps/node_access.hpp"
#include "apps/story.hpp"
#include "apps/table.hpp"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <cstdint>
#include <iostream>
#include <memory>

namespace steadfast::apps {
namespace {

using nlohmann::json;

std::string number(const json& j, const char* name) {
  return std::to_string(j.value(name, std::uint64_t{0}));
}

void print_parts(const json& node, workflow::instant now) {
  const auto& scheduler = node.at("scheduler");
  const auto& supervisor = node.at("supervisor");
  const auto& store = node.at("store");
  std::cout << "scheduler   " << scheduler.value("name", std::string{}) << ": " << number(scheduler, "in_flight")
            << " of " << number(scheduler, "in_flight_max") << " tasks in hand, " << number(scheduler, "claimed")
            << " taken, " << number(scheduler, "dispatched") << " attempts sent, " << number(scheduler, "late")
            << " late replies" << (scheduler.value("draining", false) ? ", draining" : "") << '\n'
            << "supervisor  "
            << (supervisor.value("active", false) ? "active, epoch " + number(supervisor, "epoch")
                                                  : "waiting for its lease")
            << ": " << number(supervisor, "sweeps") << " sweeps, " << number(supervisor, "reviewed")
            << " tasks reviewed, " << number(supervisor, "decided") << " decided; last sweep "
            << moment_text(supervisor.value("last_sweep", json{}), now) << '\n'
            << "store       " << number(store, "commits") << " commits of " << number(store, "writes")
            << " writes, largest " << number(store, "largest_batch") << ", " << number(store, "waiting")
            << " waiting, last took " << number(store, "last_commit_us") << " us\n";
}

void print_agents(const json& node) {
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
}

int show(const node_choice& choice) {
  const auto node = connect(choice).call("node.describe", json::object());
  if (choice.json) {
    print_json(node);
    return 0;
  }
  print_parts(node, wall_clock());
  print_agents(node);
  return 0;
}

} // namespace

void add_node(CLI::App& to, command& chosen) {
  auto* node = to.add_subcommand("node", "Look into the running node");
  node->require_subcommand(1);
  auto choice = std::make_shared<node_choice>();
  auto* sub = node->add_subcommand("show", "Its scheduler, supervisor, store and agents, and what they have done");
  add_node_choice(*sub, *choice);
  sub->footer("Example: steadfast node show");
  sub->callback([choice, &chosen] { chosen = [choice] { return show(*choice); }; });
}

} // namespace steadfast::apps
