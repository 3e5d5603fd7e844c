#include "api/names.hpp"
#include "apps/command_line/commands.hpp"
#include "apps/command_line/filter.hpp"
#include "apps/command_line/node_access.hpp"
#include "apps/command_line/pager.hpp"
#include "apps/views/story.hpp"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <iostream>
#include <memory>

namespace steadfast::apps {
namespace {

struct task_arguments {
  node_choice node;
  std::string id;
};

std::shared_ptr<task_arguments> add_id(CLI::App& sub) {
  auto g = std::make_shared<task_arguments>();
  sub.add_option("id", g->id, "The task")->required()->check(why_empty, "")->type_name("ID");
  add_node_choice(sub, g->node);
  return g;
}

int show(const task_arguments& g) {
  const auto shown = connect(g.node).call(api::task_show, {{"id", g.id}});
  if (g.node.json)
    print_json(shown.at("task"));
  else
    std::cout << story_text(shown, wall_clock(), standard_output());
  return 0;
}

int explain(const task_arguments& g) {
  const auto shown = connect(g.node).call(api::task_show, {{"id", g.id}});
  if (g.node.json)
    print_json({{"id", g.id},
                {"process_state", shown.at("task").at("process_state")},
                {"explanation", shown.at("explanation")}});
  else
    std::cout << explanation_text(shown, wall_clock(), standard_output());
  return 0;
}

} // namespace

void add_task_show(CLI::App& to, command& chosen) {
  auto* sub = to.add_subcommand("show", "A task's story: each step, each attempt, how it ended, who did what");
  auto g = add_id(*sub);
  sub->footer("Example: steadfast task show order-4711");
  sub->callback([g, &chosen] { chosen = paged(g->node.json, [g] { return show(*g); }); });
}

void add_task_explain(CLI::App& to, command& chosen) {
  auto* sub = to.add_subcommand("explain", "Why a task is where it is, what happens next, and when");
  auto g = add_id(*sub);
  sub->footer("Example: steadfast task explain order-4711");
  sub->callback([g, &chosen] { chosen = paged(g->node.json, [g] { return explain(*g); }); });
}

void add_task(CLI::App& to, command& chosen) {
  auto* sub = to.add_subcommand("task", "Look at tasks and act on them");
  sub->require_subcommand(1);
  add_submit(*sub, chosen);
  add_task_list(*sub, chosen);
  add_task_show(*sub, chosen);
  add_task_explain(*sub, chosen);
  add_task_follow(*sub, chosen);
  add_task_stuck(*sub, chosen);
  add_task_in_place(*sub, chosen);
  add_task_acts(*sub, chosen);
}

} // namespace steadfast::apps
