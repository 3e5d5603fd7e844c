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

cell state_of(const json& lease, workflow::instant now) {
  const auto end = instant_of(lease.value("expires_at", json{}));
  if (end == workflow::unset)
    return {"released", colour::faint};
  return end > now ? cell{"held", colour::good} : cell{"lapsed", colour::warning};
}

int list(const node_choice& node) {
  const auto answer = connect(node).call("lease.list", json::object());
  const auto now = wall_clock();
  table rows{{"lease", "state", "holder", "epoch", "ends", "note"}};
  for (const auto& l : answer.at("leases")) {
    if (node.json)
      print_json(l);
    rows.add({l.value("name", std::string{}), state_of(l, now), l.value("holder", std::string{}),
              std::to_string(l.value("epoch", std::uint64_t{0})), moment_text(l.value("expires_at", json{}), now),
              l.value("note", std::string{})});
  }
  if (!node.json)
    std::cout << (rows.empty() ? "there is no lease\n" : rows.text(standard_output()));
  return 0;
}

} // namespace

void add_lease(CLI::App& to, command& chosen) {
  auto* lease = to.add_subcommand("lease", "Who holds what, such as the right to supervise");
  lease->require_subcommand(1);
  auto node = std::make_shared<node_choice>();
  auto* sub = lease->add_subcommand("list", "All leases, with holder and epoch");
  add_node_choice(*sub, *node);
  sub->footer("Example: steadfast lease list");
  sub->callback([node, &chosen] { chosen = [node] { return list(*node); }; });
}

} // namespace steadfast::apps
