// One line for each problem, however many tasks it affects.

#include "api/names.hpp"
#include "apps/command_line/commands.hpp"
#include "apps/command_line/filter.hpp"
#include "apps/command_line/node_access.hpp"
#include "apps/command_line/pager.hpp"
#include "apps/terminal/exit_code.hpp"
#include "apps/terminal/failure.hpp"
#include "apps/terminal/table.hpp"
#include "apps/views/health.hpp"
#include "apps/views/story.hpp"
#include "runtime/text/health.hpp"
#include "runtime/text/quantity.hpp"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdint>
#include <iostream>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace steadfast::apps {
namespace {

using nlohmann::json;

constexpr std::size_t tasks_shown = 20;

struct incident_arguments {
  node_choice node;
  bool all = false;
  std::size_t limit = 100;
  std::vector<std::uint64_t> numbers;
  std::string act;
  std::string why;
  std::string lasting; ///< of a mute; empty: until it is unmuted
};

int list(const incident_arguments& g) {
  auto node = connect(g.node);
  json params{{"all", g.all}};
  json found = json::array();
  bool more = true;
  while (more && found.size() < g.limit) {
    params["max"] = std::min(page_size, g.limit - found.size());
    const auto page = node.call(api::incident_list, params);
    for (const auto& x : page.at("incidents"))
      found.push_back(x);
    more = !page.at("next").is_null();
    params["before"] = more ? page.at("next") : json(0);
  }
  if (g.node.json) {
    for (const auto& x : found)
      print_json(x);
    return done;
  }
  runtime::sort_incidents(found, wall_clock());
  if (found.empty())
    std::cout << (g.all ? "there has been no incident\n" : "there is no open incident\n");
  else
    std::cout << incident_table(found, wall_clock(), found.size()).text(standard_output());
  if (more)
    std::cout << "these are the newest " << g.limit << "; --limit shows more\n";
  return done;
}

void print_tasks(client& node, std::uint64_t number) {
  const auto page = node.call(api::alerts_list, {{"incident", number}, {"all", true}, {"max", tasks_shown}});
  std::set<std::string> seen; // a task may come again
  std::string ids;
  for (const auto& a : page.at("alerts"))
    if (const auto id = printable(a.value("task_id", std::string{})); !id.empty() && seen.insert(id).second)
      ids += (ids.empty() ? "" : ", ") + id;
  if (!ids.empty())
    std::cout << "  tasks: " << ids << (page.at("next").is_null() ? "" : ", ...") << '\n';
}

void print_acts(const json& x, workflow::instant now) {
  for (const auto& a : x.at("acts"))
    std::cout << "  " << moment_text(a.at("at"), now) << "  " << printable(a.value("who", std::string{})) << ": "
              << a.value("what", std::string{})
              << (a.value("why", std::string{}).empty() ? "" : ": " + printable(a.value("why", std::string{}))) << '\n';
}

/// What lists the tasks that a condition is about; empty: it is about none.
std::string command_for_tasks(const json& x) {
  const auto workflow = x.value("workflow", std::string{});
  const auto kind = x.value("kind", std::string{});
  const auto which = kind == "failing" ? "state=undone|error,ended_after=" + x.value("first_at", std::string{})
                     : kind.starts_with("suspended_") ? "state=suspended"
                                                      : std::string{};
  return which.empty() ? which : "steadfast task list --where 'workflow=" + workflow + "," + which + "'";
}

int show(const incident_arguments& g) {
  auto node = connect(g.node);
  const auto now = wall_clock();
  for (const auto number : g.numbers) {
    const auto x = node.call(api::incident_show, {{"incident", number}}).at("incident");
    if (g.node.json) {
      print_json(x);
      continue;
    }
    std::cout << incident_table(json::array({x}), now, 1).text(standard_output());
    print_field("began", moment_text(x.at("first_at"), now));
    print_field("last alert", moment_text(x.at("last_at"), now));
    if (x.value("is_condition", false))
      print_field("its tasks", command_for_tasks(x));
    else
      print_field("tasks",
                  std::to_string(x.value("tasks", std::uint64_t{0})) + " now, "
                    + std::to_string(x.value("tasks_ever", std::uint64_t{0})) + " since it began"
                    + (x.value("times", 1U) > 1 ? ", in " + std::to_string(x.value("times", 1U)) + " turns" : ""));
    print_field("for example", x.value("sample_task", std::string{}));
    print_field("which said", x.value("sample_text", std::string{}));
    print_tasks(node, number);
    print_acts(x, now);
  }
  return done;
}

/// "incident 2 is acknowledged, with 3 alerts"
std::string done_to(const std::string& incident, const std::string& act, std::uint64_t alerts) {
  if (act == "note")
    return "note added to " + incident;
  return incident + " is " + (act == "ack" ? "acknowledged, with " + runtime::counted(alerts, "alert") : act + "d");
}

int act(const incident_arguments& g) {
  auto node = connect(g.node);
  json params{{"act", g.act}, {"who", who_acts()}, {"why", g.why}};
  if (!g.lasting.empty())
    params["until_ms"] = parse_moment(g.lasting, wall_clock(), false, "--for").time_since_epoch().count();
  for (const auto number : g.numbers) {
    params["incident"] = number;
    const auto answer = node.call(api::incident_act, params);
    if (g.node.json)
      print_json({{"number", number}, {"act", g.act}, {"alerts", answer.at("alerts")}});
    else
      std::cout << done_to("incident " + std::to_string(number), g.act, answer.at("alerts").get<std::uint64_t>())
                << '\n';
  }
  return done;
}

using arguments = std::shared_ptr<incident_arguments>;

arguments add_act(CLI::App& to, command& chosen, const std::string& name, const std::string& what) {
  auto g = std::make_shared<incident_arguments>();
  g->act = name;
  auto* sub = to.add_subcommand(name, what);
  if (name == "note") {
    g->numbers.resize(1);
    sub->add_option("number", g->numbers[0], "Number of the incident")
      ->required()
      ->check(why_no_number, "")
      ->type_name("INCIDENT");
    sub->add_option("text", g->why, "The note")->required()->type_name("TEXT");
  } else {
    sub->add_option("numbers", g->numbers, "Numbers of the incidents")
      ->required()
      ->check(why_no_number, "")
      ->type_name("INCIDENT");
    sub->add_option("--why", g->why, "Reason, kept with the incident")->type_name("TEXT");
  }
  if (name == "mute")
    sub->add_option("--for", g->lasting, "How long (2h), or until when [until it is unmuted]")->type_name("WHEN");
  add_node_choice(*sub, g->node);
  sub->footer("Example: steadfast incidents " + name
              + (name == "note"   ? " 7 'the carrier works on it, ticket 4711'"
                 : name == "mute" ? " 7 --for 2h --why 'maintenance of the carrier'"
                                  : " 7"));
  sub->callback([g, &chosen] { chosen = [g] { return act(*g); }; });
  return g;
}

} // namespace

void add_incidents(CLI::App& to, command& chosen) {
  auto* incidents = to.add_subcommand("incidents", "Open incidents, one line each")->alias("incident");
  incidents->require_subcommand(1);

  auto l = std::make_shared<incident_arguments>();
  auto* list_sub = incidents->add_subcommand("list", "Open incidents, those with the most tasks first");
  list_sub->add_flag("--all", l->all, "Include closed ones");
  list_sub->add_option("--limit", l->limit, "Show at most N [100]")
    ->check(CLI::Range(std::size_t{1}, std::size_t{10'000'000}));
  add_node_choice(*list_sub, l->node);
  list_sub->footer("An incident begins with an alert and ends by itself when all of its tasks have moved on.\n\n"
                   "Example: steadfast incidents list");
  list_sub->callback([l, &chosen] { chosen = paged(l->node.json, [l] { return list(*l); }); });

  auto s = std::make_shared<incident_arguments>();
  auto* show_sub = incidents->add_subcommand("show", "One incident: since when, which tasks, who did what");
  show_sub->add_option("numbers", s->numbers, "Numbers of the incidents")
    ->required()
    ->check(why_no_number, "")
    ->type_name("INCIDENT");
  add_node_choice(*show_sub, s->node);
  show_sub->footer("Example: steadfast incidents show 7");
  show_sub->callback([s, &chosen] { chosen = paged(s->node.json, [s] { return show(*s); }); });

  add_act(*incidents, chosen, "ack", "Acknowledge it and its alerts: somebody is working on it");
  add_act(*incidents, chosen, "mute", "Leave it out of `status` and `top`, for a while or until it is unmuted");
  add_act(*incidents, chosen, "unmute", "Count it again");
  add_act(*incidents, chosen, "note", "Add a note to it");
}

} // namespace steadfast::apps
