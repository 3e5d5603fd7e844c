// The health of the cluster, in one sentence and a few lines.

#include "api/names.hpp"
#include "apps/command_line/commands.hpp"
#include "apps/command_line/filter.hpp"
#include "apps/command_line/node_access.hpp"
#include "apps/terminal/exit_code.hpp"
#include "apps/views/agents.hpp"
#include "apps/views/health.hpp"
#include "apps/views/story.hpp"
#include "runtime/text/time_text.hpp"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <cstdint>
#include <iostream>
#include <memory>

namespace steadfast::apps {
namespace {

using nlohmann::json;

constexpr std::size_t incidents_shown = 10;

/// Agents whose circuits are not closed, each with the reason.
void print_circuits(const json& agents, workflow::instant now, const terminal& to) {
  for (const auto& a : agents)
    if (const auto words = circuit_words(a, now); !words.empty())
      std::cout << painted("agent " + printable(a.value("name", std::string{})) + " at node "
                             + printable(a.value("node", std::string{})) + ": " + printable(words),
                           colour::warning, to)
                << '\n';
}

int show_status(const node_choice& choice) {
  auto node = connect(choice);
  const auto agents = node.call(api::agent_list, json::object()).at("agents");
  const auto health = node.call(api::health_show, json::object());
  const bool well = health.at("well");
  if (choice.json) {
    auto shown = json{{"agents", agents}};
    for (const auto* part : {"well", "sentence", "incidents", "nodes", "stuck", "waits"})
      shown[part] = health.at(part);
    shown["tasks"] = node.call(api::store_stats, json::object()).at("tasks");
    print_json(shown);
    return well ? done : refused;
  }
  const auto stats = node.call(api::store_stats, json::object());
  const auto now = wall_clock();
  const auto to = standard_output();
  std::cout << painted(printable(localized(health.at("sentence").get<std::string>(), now)),
                       well ? colour::good : colour::bad, to)
            << '\n';
  std::string line;
  for (const auto& [state, count] : stats.at("tasks").items())
    if (count.get<std::uint64_t>() > 0)
      line += (line.empty() ? "" : ", ") + count.dump() + " " + state;
  std::cout << "tasks: " << (line.empty() ? "none" : line) << '\n';
  print_circuits(agents, now, to);
  const auto& incidents = health.at("incidents");
  if (!incidents.empty())
    std::cout << '\n' << incident_table(incidents, now, incidents_shown).text(to);
  if (incidents.size() > incidents_shown)
    std::cout << "and more: `steadfast incidents list`\n";
  return well ? done : refused;
}

} // namespace

void add_status(CLI::App& to, command& chosen) {
  auto g = std::make_shared<node_choice>();
  auto* sub = to.add_subcommand("status", "The health of the cluster: one sentence, then the incidents");
  add_node_choice(*sub, *g);
  sub->footer("Ends with 0 when all is well, with 1 when a person should look.\n\nExample: steadfast status");
  sub->callback([g, &chosen] { chosen = [g] { return show_status(*g); }; });
}

} // namespace steadfast::apps
