#include "api/names.hpp"
#include "apps/command_line/commands.hpp"
#include "apps/command_line/filter.hpp"
#include "apps/command_line/node_access.hpp"
#include "apps/terminal/failure.hpp"
#include "apps/terminal/terminal.hpp"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <iostream>
#include <memory>

namespace steadfast::apps {
namespace {

using nlohmann::json;

struct circuit_arguments {
  node_choice node;
  std::string agent;
  std::string why;
  bool open = false;
};

int set_circuit(const circuit_arguments& g) {
  const auto answer =
    connect(g.node).call(api::circuit_set, {{"agent", g.agent}, {"open", g.open}, {"who", who_acts()}, {"why", g.why}});
  for (const auto& a : answer.at("agents"))
    if (g.node.json)
      print_json(a);
    else
      std::cout << "node " << printable(a.value("node", "")) << ": circuit of " << printable(g.agent) << " is "
                << a.value("circuit", "") << '\n';
  return tell_silent_nodes(answer);
}

} // namespace

void add_circuit(CLI::App& to, command& chosen) {
  auto* circuit = to.add_subcommand("circuit", "Open an agent's circuit (stop calling its service), or close it");
  circuit->require_subcommand(1);
  const auto add = [&](const char* name, const char* what, bool open) {
    auto g = std::make_shared<circuit_arguments>();
    g->open = open;
    auto* sub = circuit->add_subcommand(name, what);
    sub->add_option("agent", g->agent, "The agent, on every node that has it")
      ->required()
      ->check(why_empty, "")
      ->type_name("AGENT");
    sub->add_option("--why", g->why, "Reason, kept among the alerts")->type_name("TEXT");
    add_node_choice(*sub, g->node);
    sub->footer(std::string{"Example: steadfast circuit "} + name + " payment");
    sub->callback([g, &chosen] { chosen = [g] { return set_circuit(*g); }; });
  };
  add("open", "Stop calling the service until the circuit is closed; meanwhile orders are sent back", true);
  add("close", "Call the service again, whatever it answered before", false);
}

} // namespace steadfast::apps
