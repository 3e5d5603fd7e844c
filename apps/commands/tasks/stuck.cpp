#include "api/names.hpp"
#include "apps/command_line/commands.hpp"
#include "apps/command_line/filter.hpp"
#include "apps/command_line/node_access.hpp"
#include "apps/command_line/pager.hpp"
#include "apps/terminal/exit_code.hpp"
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

std::string stuck_text(const json& found, const terminal& to) {
  if (found.empty())
    return "no task is stuck\n";
  table rows{{"stuck task", "state", "why"}};
  for (const auto& t : found)
    rows.add({t.value("id", std::string{}),
              {t.value("process_state", std::string{}), colour::bad},
              t.value("why", std::string{})});
  return rows.text(to);
}

std::string waits_text(const json& waits, const terminal& to) {
  if (waits.empty())
    return "no task waits\n";
  const auto now = wall_clock();
  table rows{{"tasks", "waiting since", "longest", "what for"}};
  for (const auto& w : waits)
    rows.add({std::to_string(w.value("tasks", std::uint64_t{0})), moment_text(w.value("since", json{}), now),
              w.value("longest", std::string{}), w.value("detail", std::string{})});
  return rows.text(to);
}

int list_stuck(const node_choice& choice) {
  const auto answer = connect(choice).call(api::task_stuck, json::object());
  if (choice.json) {
    print_json(answer);
  } else {
    const auto to = standard_output();
    std::cout << stuck_text(answer.at("stuck"), to) << '\n';
    if (const auto trouble = answer.value("scheduler_trouble", json{}); trouble.is_string())
      std::cout << painted(printable(trouble.get<std::string>()), colour::bad, to) << "\n\n";
    std::cout << waits_text(answer.at("waits"), to);
    if (answer.value("is_cut", false))
      std::cout << "only the newest " << answer.at("looked_at") << " unfinished tasks were looked at\n";
  }
  return answer.at("stuck").empty() ? done : refused;
}

} // namespace

void add_task_stuck(CLI::App& to, command& chosen) {
  auto node = std::make_shared<node_choice>();
  auto* sub =
    to.add_subcommand("stuck", "Unfinished tasks that will never continue by themselves, and what the others wait for");
  add_node_choice(*sub, *node);
  sub->footer(
    "The exit code is 1 when a task is stuck. There should be none: the supervisor looks for them every minute.\n\n"
    "Example: steadfast task stuck");
  sub->callback([node, &chosen] { chosen = paged(node->json, [node] { return list_stuck(*node); }); });
}

} // namespace steadfast::apps
