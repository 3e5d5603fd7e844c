// Acts of a person on tasks: on those named by their ids one after the other; on all that match a filter by a bulk act
// of the node, after showing how many they are.

#include "api/names.hpp"
#include "apps/command_line/commands.hpp"
#include "apps/command_line/documents.hpp"
#include "apps/command_line/filter.hpp"
#include "apps/command_line/node_access.hpp"
#include "apps/commands/tasks/bulk.hpp"
#include "apps/terminal/failure.hpp"
#include "apps/terminal/interrupt.hpp"
#include "apps/terminal/terminal.hpp"
#include "runtime/text/quantity.hpp"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <unistd.h>

#include <iostream>
#include <memory>
#include <string>
#include <vector>

namespace steadfast::apps {
namespace {

using nlohmann::json;

struct act_description {
  const char* name;
  const char* help;
  const char* example;
};

constexpr act_description act_descriptions[] = {
  {"retry", "Try the failed step again; a task in error continues", "retry order-4711 --why 'the carrier is back'"},
  {"skip", "Count a step as done, with the given result",
   "skip order-4711 --step book_shipping --result '{\"by\": \"post\"}'"},
  {"undo", "Undo what the task has done", "undo order-4711 --why 'the customer changed her mind'"},
  {"cancel", "Stop the task and undo what it has done", "cancel order-4711"},
  {"suspend", "Start nothing new of the task until it is resumed", "suspend --where workflow=order_processing"},
  {"resume", "Continue a suspended task", "resume --where state=suspended,workflow=order_processing"},
};

struct task_acts_arguments {
  std::string act;
  node_choice node;
  std::vector<std::string> ids;
  std::string where;
  std::string why;
  std::string step;
  std::string result;
  bool new_key = false;
  bool dry_run = false;
  bool yes = false;
  bool detach = false;
};

bool undoes(const task_acts_arguments& g) {
  return g.act == "undo" || g.act == "cancel";
}

// ---- before many are changed ----

/// More than one task is only changed after the number was typed, or with --yes.
void confirm(const task_acts_arguments& g, std::size_t count) {
  if (count <= 1 || g.yes)
    return;
  const auto number = std::to_string(count);
  if (isatty(STDIN_FILENO) == 0)
    throw failure{wrong_usage, g.act + " would change " + number + " tasks: add --yes, or --dry-run to see which"};
  std::cerr << "This will " << g.act << " " << number << " tasks. Type " << number << " to continue: " << std::flush;
  const interrupt_guard guard;
  if (interrupt_guard::typed_line() != number)
    throw failure{refused, "nothing was changed"};
}

/// By whom, or with which tasks, a step is undone. Nodes of an older release tell fewer fields.
std::string undone_with(const json& step) {
  if (step.contains("items")) {
    std::string told = ", with what its items have done (`" + printable(step.value("items", "")) + "`)";
    std::size_t shown = 0;
    for (const auto& id : step.value("first_tasks", json::array()))
      told +=
        (shown++ == 0 ? ": " + runtime::counted(step.value("tasks", std::size_t{0}), "task") + ", first `" : "`, `")
        + printable(id.get<std::string>());
    return told + (shown > 0 ? "`" : "");
  }
  if (step.contains("task"))
    return ", with its task `" + printable(step.value("task", "")) + "`"
           + (step.contains("steps")
                ? ", of which " + runtime::counted(step.at("steps").get<std::size_t>(), "step") + " would be undone"
                : "");
  return ", by agent `" + step.value("agent", "") + "`";
}

/// Which compensations would run, in which order, and what stays in place.
void print_undo(const json& plan) {
  std::size_t i = 0;
  for (const auto& s : plan.at("undone"))
    std::cout << "  " << ++i << ". undo step `" << s.value("step", "") << "`, which is " << s.value("state", "")
              << undone_with(s)
              << (s.contains("failed") ? ", which refused before: " + printable(s.value("failed", "")) : "") << '\n';
  for (const auto& s : plan.at("left"))
    std::cout << "  stays: step `" << s.value("step", "") << "`, which is " << s.value("state", "") << ": "
              << s.value("why", "") << '\n';
  if (i == 0)
    std::cout << "  no compensation would run\n";
}

// ---- acting ----

json params_of(const task_acts_arguments& g) {
  json params{{"act", g.act}, {"who", who_acts()}, {"why", g.why}};
  if (!g.step.empty())
    params["step"] = g.step;
  if (g.new_key)
    params["new_key"] = true;
  if (g.act == "skip") {
    require_json(g.result, "--result");
    params["document"] = g.result;
  }
  return params;
}

void report(const task_acts_arguments& g, const std::string& id, const json& answer) {
  if (g.node.json)
    print_json({{"id", id}, {"act", g.act}, {"done", true}, {"process_state", answer.at("process_state")}});
  else
    std::cout << printable(id) << ": " << g.act << " done, now " << answer.at("process_state").get<std::string>()
              << '\n';
}

void report_refusal(const task_acts_arguments& g, const std::string& id, const client_error& e) {
  if (g.node.json)
    print_json({{"id", id}, {"act", g.act}, {"done", false}, {"why", e.what()}});
  else
    std::cerr << "steadfast: " << printable(id) << ": " << e.what() << '\n';
}

/// About this task; another may take the act.
bool says_no(const client_error& e) {
  return e.why() == client_error::kind::refused || e.why() == client_error::kind::not_found;
}

int act_on_all(client& node, const task_acts_arguments& g, const std::vector<std::string>& ids) {
  auto params = params_of(g);
  std::size_t failed = 0;
  for (const auto& id : ids) {
    params["id"] = id;
    try {
      report(g, id, node.call(api::task_act, params));
    } catch (const client_error& e) {
      if (!says_no(e) || ids.size() == 1)
        throw;
      ++failed;
      report_refusal(g, id, e);
    }
  }
  if (failed > 0)
    std::cerr << "steadfast: " << failed << " of " << runtime::counted(ids.size(), "task") << " refused it\n";
  return failed > 0 ? refused : done;
}

// ---- what would happen ----

/// What the node says that the act would do to the task; `refused`: why the task would not take it. Throws client_error
/// when nobody can say.
json plan_for(client& node, const task_acts_arguments& g, json params, const std::string& id) {
  try {
    auto plan = undoes(g) ? node.call(api::task_plan_undo, {{"id", id}, {"act", g.act}}) : json::object();
    params["id"] = id;
    params["dry_run"] = true;
    if (plan.value("refused", std::string{}).empty())
      plan.update(node.call(api::task_act, params)); // its state is the one after the act
    return plan;
  } catch (const client_error& e) {
    if (!says_no(e))
      throw;
    return {{"refused", e.what()}, {"is_absent", e.why() == client_error::kind::not_found}};
  }
}

void print_plan_for(const task_acts_arguments& g, const std::string& id, const json& plan) {
  const auto refusal = plan.value("refused", std::string{});
  if (g.node.json) {
    json line{{"id", id}, {"act", g.act}, {"dry_run", true}, {"refused", refusal}};
    if (refusal.empty())
      line["process_state"] = plan.at("process_state");
    if (plan.contains("undone"))
      line.update({{"undone", plan.at("undone")}, {"left", plan.at("left")}});
    print_json(line);
    return;
  }
  std::cout << (refusal.empty() ? "would " : "would not ") << g.act << " " << printable(id)
            << (refusal.empty() ? ", then " + plan.value("process_state", "") : ": " + printable(refusal)) << '\n';
  if (undoes(g) && refusal.empty())
    print_undo(plan);
}

/// The exit code is that of the acts, if they were done now.
int preview(client& node, const task_acts_arguments& g) {
  const auto params = params_of(g);
  std::size_t would = 0;
  bool is_absent = false;
  for (const auto& id : g.ids) {
    const auto plan = plan_for(node, g, params, id);
    would += plan.value("refused", std::string{}).empty() ? 1 : 0;
    is_absent = plan.value("is_absent", false);
    print_plan_for(g, id, plan);
  }
  const auto count = g.ids.size();
  if (!g.node.json)
    std::cout << (would == count ? "" : std::to_string(would) + " of ") << runtime::counted(count, "task")
              << (would == count ? "\n" : " would accept it\n");
  if (would == count)
    return done;
  return count == 1 && is_absent ? not_found : refused;
}

// ---- on all that match ----

json bulk_params(const task_acts_arguments& g) {
  auto params = parse_where(g.where, wall_clock());
  params.update(params_of(g));
  params["where"] = g.where;
  return params;
}

/// Shows the plan first; then the person types the number.
void plan_and_confirm(client& node, const task_acts_arguments& g, json params) {
  if (g.yes)
    return;
  params["dry_run"] = true;
  const auto plan = node.call(api::bulk_start, params);
  const auto count = plan.value("count", std::size_t{0});
  if (count > 1 && isatty(STDIN_FILENO) == 1)
    print_plan(std::cerr, plan);
  confirm(g, count);
}

int preview_all(client& node, const task_acts_arguments& g, json params) {
  params["dry_run"] = true;
  const auto plan = node.call(api::bulk_start, params);
  if (plan.value("count", 0) == 0)
    throw failure{not_found, "no task matches"};
  if (g.node.json)
    print_json(plan);
  else
    print_plan(std::cout, plan);
  return done;
}

int act_on_matching(client& node, const task_acts_arguments& g, const json& params) {
  if (g.dry_run)
    return preview_all(node, g, params);
  plan_and_confirm(node, g, params);
  const auto begun = node.call(api::bulk_start, params);
  const auto number = begun.at("bulk").get<std::uint64_t>();
  if (!g.detach)
    return follow_bulk(node, number, {g.node.json, true});
  if (g.node.json)
    print_json(begun);
  else
    std::cout << "bulk act " << number << " has begun, for about "
              << runtime::counted(begun.at("about").get<std::uint64_t>(), "task") << ": `steadfast bulk follow "
              << number << "` shows its progress\n";
  return done;
}

int act(const task_acts_arguments& g) {
  if (g.ids.empty() == g.where.empty())
    throw failure{wrong_usage, "name the tasks, either by ids or by --where"};
  if (g.detach && g.where.empty())
    throw failure{wrong_usage, "--detach goes with --where"};
  const auto params = g.where.empty() ? json{} : bulk_params(g);
  auto node = connect(g.node);
  if (!g.where.empty())
    return act_on_matching(node, g, params);
  if (g.dry_run)
    return preview(node, g);
  confirm(g, g.ids.size());
  return act_on_all(node, g, g.ids);
}

// ---- options ----

void add_special_options(CLI::App& sub, task_acts_arguments& g) {
  if (g.act == "retry") {
    sub.add_option("--step", g.step, "Which step [the first that failed]")->type_name("STEP");
    sub.add_flag(
      "--new-key", g.new_key,
      "Use a new idempotency key, so that the service does not take it for a repetition. Refused for an undo, and "
      "for a step that may have acted: what it did under the old key would never be undone");
  } else if (g.act == "skip") {
    sub.add_option("--step", g.step, "Which step")->type_name("STEP")->required();
    sub.add_option("--result", g.result, "What later steps see as its result [null]")->type_name("JSON");
    g.result = "null";
  }
}

void add_act(CLI::App& to, command& chosen, const act_description& what) {
  auto g = std::make_shared<task_acts_arguments>();
  g->act = what.name;
  auto* sub = to.add_subcommand(what.name, what.help);
  sub->add_option("ids", g->ids, "The tasks")->check(why_empty, "")->type_name("ID");
  sub->add_option("--where", g->where, where_help)->check(why_empty, "")->type_name("FILTER");
  add_special_options(*sub, *g);
  sub->add_option("--why", g->why, "Reason, kept in the task's story")->type_name("TEXT");
  sub->add_flag("--dry-run", g->dry_run,
                g->act == "undo" || g->act == "cancel"
                  ? "Only say which tasks would be changed, and which compensations would run"
                  : "Only say which tasks would be changed");
  sub->add_flag("--yes", g->yes, "Do not ask before more than one task is changed");
  sub->add_flag("--detach", g->detach, "With --where: begin, say the number of the bulk act, and do not wait");
  add_node_choice(*sub, g->node);
  sub->footer(std::string{"Example: steadfast task "} + what.example);
  sub->callback([g, &chosen] { chosen = [g] { return act(*g); }; });
}

} // namespace

void add_task_acts(CLI::App& to, command& chosen) {
  for (const auto& what : act_descriptions)
    add_act(to, chosen, what);
}

} // namespace steadfast::apps
