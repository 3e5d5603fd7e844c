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
#include <vector>

namespace steadfast::apps {
namespace {

using nlohmann::json;

struct alerts_arguments {
  node_choice node;
  bool all = false;
  std::size_t limit = 100;
  std::vector<std::uint64_t> numbers;
};

int list(const alerts_arguments& g) {
  const auto answer = connect(g.node).call("alerts.list", {{"all", g.all}, {"max", g.limit}});
  const auto now = wall_clock();
  table rows{{"alert", "raised", "task", "step", "kind", "acknowledged", "what"}};
  for (const auto& a : answer.at("alerts")) {
    if (g.node.json)
      print_json(a);
    rows.add({std::to_string(a.value("number", std::uint64_t{0})), moment_text(a.value("at", json{}), now),
              a.value("task_id", std::string{}), a.value("step", std::string{}), a.value("kind", std::string{}),
              a.value("acknowledged_by", std::string{}), a.value("text", std::string{})});
  }
  if (g.node.json)
    return 0;
  if (rows.empty())
    std::cout << (g.all ? "there is no alert\n" : "there is no open alert\n");
  else
    std::cout << rows.text(standard_output());
  return 0;
}

int acknowledge(const alerts_arguments& g) {
  auto node = connect(g.node);
  for (const auto number : g.numbers) {
    node.call("alerts.ack", {{"alert", number}, {"who", who_acts()}});
    if (g.node.json)
      print_json({{"number", number}, {"acknowledged", true}});
    else
      std::cout << "alert " << number << " is acknowledged\n";
  }
  return 0;
}

} // namespace

void add_alerts(CLI::App& to, command& chosen) {
  auto* alerts = to.add_subcommand("alerts", "What a person is needed for");
  alerts->require_subcommand(1);

  auto l = std::make_shared<alerts_arguments>();
  auto* list_sub = alerts->add_subcommand("list", "Open alerts, the oldest first");
  list_sub->add_flag("--all", l->all, "The acknowledged ones too");
  list_sub->add_option("--limit", l->limit, "Show at most so many [100]")->check(CLI::Range(1, 1000));
  add_node_choice(*list_sub, l->node);
  list_sub->footer("Example: steadfast alerts list");
  list_sub->callback([l, &chosen] { chosen = [l] { return list(*l); }; });

  auto a = std::make_shared<alerts_arguments>();
  auto* ack_sub = alerts->add_subcommand("ack", "Say that somebody takes care of it");
  ack_sub->add_option("numbers", a->numbers, "Numbers of the alerts")->required()->type_name("NUMBER");
  add_node_choice(*ack_sub, a->node);
  ack_sub->footer("Example: steadfast alerts ack 7");
  ack_sub->callback([a, &chosen] { chosen = [a] { return acknowledge(*a); }; });
}

} // namespace steadfast::apps
