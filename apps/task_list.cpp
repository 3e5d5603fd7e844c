#include "apps/task_list.hpp"
#include "apps/commands.hpp"
#include "apps/filter.hpp"
#include "apps/node_access.hpp"
#include "apps/story.hpp"
#include "apps/table.hpp"
#include "runtime/time_text.hpp"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <iostream>
#include <memory>

namespace steadfast::apps {
namespace {

using nlohmann::json;

struct task_list_arguments {
  node_choice node;
  std::string where;
  std::size_t limit = 50;
  bool count = false;
};

std::string rest_of_steps(const json& t) {
  return std::to_string(t.value("steps_done", 0)) + "/" + std::to_string(t.value("steps_total", 0));
}

void add_row(table& rows, const json& t, workflow::instant now) {
  const auto state = t.value("process_state", std::string{});
  const auto submitted = instant_of(t.value("submitted_at", json{}));
  rows.add({t.value("id", std::string{}),
            t.value("workflow", std::string{}),
            {state, colour_of_state(state)},
            rest_of_steps(t),
            std::to_string(t.value("priority", 0)),
            rough_text(std::max(now - submitted, workflow::span{0})),
            t.value("locked_by", std::string{}),
            t.value("cause", std::string{})});
}

int print_count(client& node, const task_list_arguments& g, const json& params) {
  const auto count = node.call("task.count", params);
  if (g.node.json)
    print_json(count);
  else
    std::cout << count.at("count") << '\n';
  return 0;
}

int list(const task_list_arguments& g) {
  const auto now = wall_clock();
  const auto params = parse_where(g.where, now);
  auto node = connect(g.node);
  if (g.count)
    return print_count(node, g, params);
  if (g.node.json) {
    for_each_task(node, params, g.limit, [](const json& t) { print_json(t); });
    return 0;
  }
  table rows{{"id", "workflow", "state", "steps", "priority", "age", "locked by", "cause"}};
  const bool more = for_each_task(node, params, g.limit, [&](const json& t) { add_row(rows, t, now); });
  if (rows.empty())
    std::cout << "no task matches\n";
  else
    std::cout << rows.text(standard_output());
  if (more)
    std::cout << "these are the newest " << g.limit << "; --limit shows more, --count says how many there are\n";
  return 0;
}

} // namespace

void add_task_list(CLI::App& to, command& chosen) {
  auto g = std::make_shared<task_list_arguments>();
  auto* sub = to.add_subcommand("list", "Tasks, the newest first");
  sub->add_option("--where", g->where, where_help)->check(why_empty, "")->type_name("FILTER");
  sub->add_option("--limit", g->limit, "Show at most so many [50]")
    ->check(CLI::Range(std::size_t{1}, std::size_t{10'000'000}));
  sub->add_flag("--count", g->count, "Only say how many there are");
  add_node_choice(*sub, g->node);
  sub->footer("Example: steadfast task list --where 'state=error|suspended,workflow=order_processing,after=2h'");
  sub->callback([g, &chosen] { chosen = [g] { return list(*g); }; });
}

} // namespace steadfast::apps
