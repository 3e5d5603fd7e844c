// Questions that wait for a person.

#include "api/names.hpp"
#include "apps/command_line/commands.hpp"
#include "apps/command_line/filter.hpp"
#include "apps/command_line/node_access.hpp"
#include "apps/command_line/paged_list.hpp"
#include "apps/terminal/exit_code.hpp"
#include "apps/terminal/table.hpp"
#include "apps/terminal/terminal.hpp"
#include "apps/views/story.hpp"
#include "runtime/text/json.hpp"
#include "runtime/text/time_text.hpp"
#include "workflow/text/split.hpp"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace steadfast::apps {
namespace {

using nlohmann::json;

struct approvals_arguments {
  node_choice node;
  std::string role;
  std::string id;
  std::string step;
  std::string choice;
  std::string why;
};

int list(const approvals_arguments& g) {
  auto params = json::object();
  if (!g.role.empty())
    params["role"] = g.role;
  const auto row_of = [now = wall_clock()](const json& a) -> std::vector<cell> {
    return {printable(a.value("id", "")),
            a.value("step", ""),
            a.value("role", ""),
            cut(printable(a.value("question", "")), 60),
            workflow::joined(a.value("choices", std::vector<std::string>{}), ", "),
            moment_text(a.value("limit_at", json{}), now)};
  };
  print_all(g.node, {api::approval_list, "approvals", "before"}, std::move(params),
            table{{"task", "step", "role", "question", "choices", "until"}}, row_of, "no question is open\n");
  return done;
}

int answer(const approvals_arguments& g) {
  const auto said = connect(g.node).call(
    api::approval_answer, {{"id", g.id}, {"step", g.step}, {"choice", g.choice}, {"who", who_acts()}, {"why", g.why}});
  if (g.node.json)
    print_json(said);
  else
    std::cout << printable(g.id) << ": answered, now " << said.at("process_state").get<std::string>() << '\n';
  return done;
}

} // namespace

void add_approvals(CLI::App& to, command& chosen) {
  auto* approvals = to.add_subcommand("approvals", "Questions that wait for a person")->alias("approval");
  approvals->require_subcommand(0, 1);
  auto g = std::make_shared<approvals_arguments>();
  approvals->callback([g, approvals, &chosen] {
    if (approvals->get_subcommands().empty())
      chosen = [g] { return list(*g); };
  });
  auto* lists = approvals->add_subcommand("list", "Open questions: the role, the question, and until when");
  for (auto* to_list : {approvals, lists}) {
    to_list->add_option("--role", g->role, "Only those for this role")->type_name("ROLE");
    add_node_choice(*to_list, g->node);
    to_list->footer("Example: steadfast approvals list --role sales");
  }
  lists->callback([g, &chosen] { chosen = [g] { return list(*g); }; });
  auto* answers = approvals->add_subcommand("answer", "Answer one; who and why are kept in the task's story");
  answers->add_option("id", g->id, "The task")->required()->check(why_empty, "")->type_name("ID");
  answers->add_option("step", g->step, "The step that asks")->required()->check(why_empty, "")->type_name("STEP");
  answers->add_option("choice", g->choice, "One of its choices")->required()->check(why_empty, "")->type_name("CHOICE");
  answers->add_option("--why", g->why, "Reason, kept in the task's story")->type_name("TEXT");
  add_node_choice(*answers, g->node);
  answers->footer("Example: steadfast approvals answer order-4711 approve yes --why 'a customer of ten years'");
  answers->callback([g, &chosen] { chosen = [g] { return answer(*g); }; });
}

} // namespace steadfast::apps
