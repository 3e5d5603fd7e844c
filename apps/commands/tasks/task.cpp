#include "api/names.hpp"
#include "apps/command_line/commands.hpp"
#include "apps/command_line/filter.hpp"
#include "apps/command_line/node_access.hpp"
#include "apps/command_line/pager.hpp"
#include "apps/terminal/failure.hpp"
#include "apps/views/story.hpp"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <iostream>
#include <memory>

namespace steadfast::apps {
namespace {

using nlohmann::json;

struct task_arguments {
  node_choice node;
  std::string id;
  std::string step;
  bool full = false;
};

std::shared_ptr<task_arguments> add_id(CLI::App& sub) {
  auto g = std::make_shared<task_arguments>();
  sub.add_option("id", g->id, "The task")->required()->check(why_empty, "")->type_name("ID");
  add_node_choice(sub, g->node);
  return g;
}

json step_of(const json& task, const std::string& name) {
  for (const auto& s : task.at("steps"))
    if (s.at("name") == name)
      return s;
  throw failure{not_found, "task `" + task.at("id").get<std::string>() + "` has no step `" + name + "`"};
}

int show(const task_arguments& g) {
  const auto shown = connect(g.node).call(api::task_show, {{"id", g.id}});
  const auto chosen = g.step.empty() ? shown.at("task") : step_of(shown.at("task"), g.step);
  if (g.node.json)
    print_json(chosen);
  else if (g.step.empty())
    std::cout << story_text(shown, wall_clock(), standard_output(), g.full ? story_detail::full : story_detail::brief);
  else
    std::cout << step_story_text(shown.at("task"), chosen, wall_clock(), standard_output());
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
  sub->add_option("--step", g->step, "Only this step, in full")->check(why_empty, "")->type_name("STEP");
  sub->add_flag("--full", g->full, "Cut no payload and no result, and show every attempt in a line of its own");
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
  add_task_edit(*sub, chosen);
}

} // namespace steadfast::apps
