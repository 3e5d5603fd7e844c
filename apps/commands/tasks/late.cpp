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

struct late_arguments {
  node_choice node;
  std::size_t limit = 100;
};

int list(const late_arguments& g) {
  const auto answer = connect(g.node).call(api::late_list, {{"max", g.limit}});
  const auto now = wall_clock();
  table rows{{"came", "task", "step", "attempt", "outcome", "why it does not count"}};
  for (const auto& r : answer.at("late_replies")) {
    if (g.node.json)
      print_json(r);
    const auto task = r.value("task_id", std::string{});
    rows.add({moment_text(r.value("at", json{}), now),
              task.empty() ? "number " + std::to_string(r.value("task_number", std::uint64_t{0})) : task,
              r.value("step", std::string{}), std::to_string(r.value("attempt", 0U)), r.value("outcome", std::string{}),
              r.value("why", std::string{})});
  }
  if (!g.node.json)
    std::cout << (rows.empty() ? "no late replies\n" : rows.text(standard_output()));
  return 0;
}

} // namespace

void add_late(CLI::App& to, command& chosen) {
  auto g = std::make_shared<late_arguments>();
  auto* late = to.add_subcommand("late", "Replies that came too late to count, kept as evidence");
  late->require_subcommand(1);
  late->footer("Example: steadfast late");
  auto* sub = late->add_subcommand("list", "The newest first");
  sub->add_option("--limit", g->limit, "Show at most N [100]")->check(CLI::Range(1, 1000))->type_name("N");
  add_node_choice(*sub, g->node);
  sub->footer("Example: steadfast late list --limit 20");
  sub->callback([g, &chosen] { chosen = paged(g->node.json, [g] { return list(*g); }); });
}

} // namespace steadfast::apps
