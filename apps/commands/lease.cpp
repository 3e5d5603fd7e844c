#include "api/names.hpp"
#include "apps/command_line/commands.hpp"
#include "apps/command_line/filter.hpp"
#include "apps/command_line/node_access.hpp"
#include "apps/command_line/pager.hpp"
#include "apps/terminal/table.hpp"
#include "apps/views/story.hpp"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <cstdint>
#include <iostream>
#include <memory>

namespace steadfast::apps {
namespace {

using nlohmann::json;

cell state_of_lease(const json& lease, workflow::instant now) {
  const auto end = instant_of(lease.value("expires_at", json{}));
  if (end == workflow::unset)
    return {"released", colour::faint};
  return end > now ? cell{"held", colour::good} : cell{"lapsed", colour::warning};
}

int list(const node_choice& node) {
  const auto answer = connect(node).call(api::lease_list, json::object());
  const auto now = wall_clock();
  table rows{{"lease", "state", "holder", "epoch", "ends", "note"}};
  for (const auto& l : answer.at("leases")) {
    if (node.json)
      print_json(l);
    rows.add({l.value("name", std::string{}), state_of_lease(l, now), l.value("holder", std::string{}),
              std::to_string(l.value("epoch", std::uint64_t{0})), moment_text(l.value("expires_at", json{}), now),
              l.value("note", std::string{})});
  }
  if (!node.json)
    std::cout << (rows.empty() ? "there is no lease\n" : rows.text(standard_output()));
  return 0;
}

struct release_arguments {
  node_choice node;
  std::string name;
  std::string why;
};

int release(const release_arguments& g) {
  const auto released =
    connect(g.node).call(api::lease_release, {{"name", g.name}, {"who", who_acts()}, {"why", g.why}});
  if (g.node.json)
    print_json(released);
  else
    std::cout << "lease " << printable(g.name) << " is taken from " << released.value("holder", std::string{})
              << "; the next candidate gets it\n";
  return 0;
}

} // namespace

void add_lease(CLI::App& to, command& chosen) {
  auto* lease = to.add_subcommand("lease", "Leases and their holders; release one");
  lease->require_subcommand(1);
  auto node = std::make_shared<node_choice>();
  auto* sub = lease->add_subcommand("list", "All leases, with holder and epoch");
  add_node_choice(*sub, *node);
  sub->footer("Example: steadfast lease list");
  sub->callback([node, &chosen] { chosen = paged(node->json, [node] { return list(*node); }); });

  auto g = std::make_shared<release_arguments>();
  auto* release_sub =
    lease->add_subcommand("release", "Take a lease away from its holder, so that another node can get it");
  release_sub->add_option("name", g->name, "The lease")->required()->check(why_empty, "")->type_name("LEASE");
  release_sub->add_option("--why", g->why, "Reason, kept among the alerts")->type_name("TEXT");
  add_node_choice(*release_sub, g->node);
  release_sub->footer(
    "Later writes of its holder under it are refused.\n\nExample: steadfast lease release supervisor");
  release_sub->callback([g, &chosen] { chosen = [g] { return release(*g); }; });
}

} // namespace steadfast::apps
