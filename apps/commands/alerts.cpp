#include "api/names.hpp"
#include "apps/command_line/commands.hpp"
#include "apps/command_line/filter.hpp"
#include "apps/command_line/node_access.hpp"
#include "apps/command_line/pager.hpp"
#include "apps/terminal/table.hpp"
#include "apps/views/health.hpp"
#include "apps/views/story.hpp"
#include "runtime/text/health.hpp"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdint>
#include <iostream>
#include <memory>
#include <vector>

namespace steadfast::apps {
namespace {

using nlohmann::json;

constexpr std::size_t incidents_shown = 20;

struct alerts_arguments {
  node_choice node;
  std::string where;
  bool all = false;
  std::size_t limit = 100;
  std::vector<std::uint64_t> numbers;
};

void print_incidents(client& node, workflow::instant now) {
  auto open = node.call(api::incident_list, {{"max", incidents_shown}}).at("incidents");
  runtime::sort_incidents(open, now);
  if (!open.empty())
    std::cout << incident_table(open, now, open.size()).text(standard_output()) << '\n';
}

/// Page by page, the newest first, until there are so many. True: there are more.
template <class Use>
bool for_each_alert(client& node, json params, std::size_t limit, Use use) {
  for (std::size_t n = 0; n < limit;) {
    params["max"] = std::min(page_size, limit - n);
    const auto page = node.call(api::alerts_list, params);
    for (const auto& a : page.at("alerts"))
      use(a);
    n += page.at("alerts").size();
    if (page.at("next").is_null())
      return false;
    params["before"] = page.at("next");
  }
  return true;
}

int list(const alerts_arguments& g) {
  const auto now = wall_clock();
  auto params = parse_alert_where(g.where, now);
  params["all"] = g.all || params.contains("incident"); // for one incident acknowledged ones matter too
  auto node = connect(g.node);
  if (g.node.json) {
    for_each_alert(node, params, g.limit, [](const json& a) { print_json(a); });
    return 0;
  }
  if (g.where.empty())
    print_incidents(node, now);
  table rows{{"alert", "raised", "task", "step", "kind", "acknowledged", "what"}};
  const bool more = for_each_alert(node, params, g.limit, [&](const json& a) {
    rows.add({std::to_string(a.value("number", std::uint64_t{0})), moment_text(a.value("at", json{}), now),
              a.value("task_id", std::string{}), a.value("step", std::string{}), a.value("kind", std::string{}),
              a.value("acknowledged_by", std::string{}), a.value("text", std::string{})});
  });
  if (rows.empty())
    std::cout << (!g.where.empty() ? "no alert matches\n" : g.all ? "there is no alert\n" : "there is no open alert\n");
  else
    std::cout << rows.text(standard_output());
  if (more)
    std::cout << "these are the newest " << g.limit << "; --limit shows more, --where chooses\n";
  return 0;
}

int acknowledge(const alerts_arguments& g) {
  auto node = connect(g.node);
  for (const auto number : g.numbers) {
    node.call(api::alerts_ack, {{"alert", number}, {"who", who_acts()}});
    if (g.node.json)
      print_json({{"number", number}, {"acknowledged", true}});
    else
      std::cout << "alert " << number << " is acknowledged\n";
  }
  return 0;
}

} // namespace

void add_alerts(CLI::App& to, command& chosen) {
  auto* alerts = to.add_subcommand("alerts", "Alerts: tasks and conditions that need a person")->alias("alert");
  alerts->require_subcommand(1);

  auto l = std::make_shared<alerts_arguments>();
  auto* list_sub = alerts->add_subcommand("list", "Open incidents, then open alerts, the newest first");
  list_sub->add_flag("--all", l->all, "Include acknowledged ones");
  list_sub->add_option("--where", l->where, alert_where_help)->check(why_empty, "")->type_name("ALERTS");
  list_sub->add_option("--limit", l->limit, "Show at most N [100]")
    ->check(CLI::Range(std::size_t{1}, std::size_t{10'000'000}));
  add_node_choice(*list_sub, l->node);
  list_sub->footer("Example: steadfast alerts list --where 'incident=7,after=2h'");
  list_sub->callback([l, &chosen] { chosen = paged(l->node.json, [l] { return list(*l); }); });

  auto a = std::make_shared<alerts_arguments>();
  auto* ack_sub = alerts->add_subcommand("ack", "Acknowledge them: somebody is working on them");
  ack_sub->add_option("numbers", a->numbers, "Numbers of the alerts")
    ->required()
    ->check(why_no_number, "")
    ->type_name("NUMBER");
  add_node_choice(*ack_sub, a->node);
  ack_sub->footer("Example: steadfast alerts ack 7");
  ack_sub->callback([a, &chosen] { chosen = [a] { return acknowledge(*a); }; });
}

} // namespace steadfast::apps
