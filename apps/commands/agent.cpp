// The services behind the agents of all nodes.

#include "api/names.hpp"
#include "apps/command_line/commands.hpp"
#include "apps/command_line/filter.hpp"
#include "apps/command_line/node_access.hpp"
#include "apps/terminal/exit_code.hpp"
#include "apps/views/agents.hpp"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <iostream>
#include <memory>
#include <string>

namespace steadfast::apps {
namespace {

using nlohmann::json;

struct agent_arguments {
  node_choice node;
  std::string at;
  std::string name;
};

int list(const agent_arguments& g) {
  const auto answer = connect(g.node).call(api::agent_list, {{"node", g.at}, {"agent", g.name}});
  const auto& agents = answer.at("agents");
  if (g.node.json)
    for (const auto& a : agents)
      print_json(a);
  else if (agents.empty())
    std::cout << "no living node has an agent\n";
  else
    std::cout << agent_table(agents, wall_clock(), agents.size()).text(standard_output());
  return tell_silent_nodes(answer);
}

} // namespace

void add_agent(CLI::App& to, command& chosen) {
  auto* agent = to.add_subcommand("agent", "The services behind the agents, and their health");
  agent->require_subcommand(1);
  auto g = std::make_shared<agent_arguments>();
  auto* sub = agent->add_subcommand(
    "list", "Each agent at each node: service, circuit, calls of the last five minutes, last error");
  sub->add_option("agent", g->name, "Of this name only [all]")->type_name("AGENT");
  sub->add_option("--node", g->at, "At this node only [every living one]")->type_name("NODE");
  add_node_choice(*sub, g->node);
  sub->footer(
    "Those whose circuits are open come first, then those that fail most. A refusal is no success, although the\n"
    "service is healthy. The exit code is 1 when a node did not answer.\n\n"
    "Example: steadfast agent list");
  sub->callback([g, &chosen] { chosen = [g] { return list(*g); }; });
}

} // namespace steadfast::apps
