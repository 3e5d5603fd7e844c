// Create tasks on a schedule (cron or interval).

#include "api/names.hpp"
#include "apps/command_line/commands.hpp"
#include "apps/command_line/filter.hpp"
#include "apps/command_line/node_access.hpp"
#include "apps/command_line/paged_list.hpp"
#include "apps/terminal/exit_code.hpp"
#include "apps/terminal/table.hpp"
#include "apps/terminal/terminal.hpp"
#include "runtime/configuration/schedule_file.hpp"
#include "runtime/text/json.hpp"
#include "runtime/text/time_text.hpp"
#include "runtime/toml/toml_file.hpp"
#include "workflow/time/zone.hpp"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <iostream>
#include <memory>
#include <string>
#include <utility>

namespace steadfast::apps {
namespace {

using nlohmann::json;

struct schedule_arguments {
  node_choice node;
  std::string name;
  std::string file;
  std::string act;
  std::string why;
  std::size_t count = 10;
};

std::string times_of(const json& s) {
  if (!s.contains("cron"))
    return "every " + rough_text(workflow::span{s.value("every_ms", std::int64_t{0})});
  return s.value("cron", "") + " " + s.value("zone", "");
}

std::string moment_text(const json& moment) {
  const auto t = moment.is_string() ? parse_utc(moment.get<std::string>()) : std::nullopt;
  return t ? local_text(*t) : "-";
}

/// By the clocks of that zone; empty: there is none.
std::string shown_in(const std::string& zone, const json& moment) {
  const auto t = parse_utc(moment.get<std::string>());
  const auto stretch = t ? workflow::stretch_at(zone, *t) : std::nullopt;
  if (!stretch)
    return {};
  constexpr std::size_t with_seconds = 19; // 2026-11-27T02:30:00
  auto text = utc_text(*t + stretch->offset).substr(0, with_seconds);
  text[text.find('T')] = ' ';
  return text;
}

std::string first_of(const json& moments) {
  return moments.empty() ? "-" : moment_text(moments.front());
}

int list(const schedule_arguments& g) {
  const auto row_of = [](const json& s) -> std::vector<cell> {
    return {s.value("name", ""), s.value("workflow", ""), times_of(s),
            s.value("is_paused", false) ? "paused" : first_of(s.at("next")), printable(s.value("last_task", ""))};
  };
  print_all(g.node, {api::schedule_list, "schedules", "after"}, json::object(),
            table{{"schedule", "workflow", "when", "next", "last task"}}, row_of,
            "there is no schedule: create one with `steadfast schedule put FILE`\n");
  return done;
}

json shown(const schedule_arguments& g) {
  return connect(g.node).call(api::schedule_show, {{"name", g.name}, {"next", g.count}}).at("schedule");
}

int show(const schedule_arguments& g) {
  const auto s = shown(g);
  if (g.node.json) {
    print_json(s);
    return done;
  }
  std::cout << "schedule " << s.value("name", "") << ": workflow " << s.value("workflow", "") << ", " << times_of(s)
            << ", overlap " << s.value("overlap", "") << '\n'
            << "  " << printable(s.value("text", "")) << '\n'
            << "  next: " << (s.value("is_paused", false) ? "none while it is paused" : first_of(s.at("next")))
            << "; tasks made: " << s.at("tasks_made").dump()
            << (s.value("file", "").empty() ? "" : "; from " + printable(s.value("file", ""))) << '\n';
  table rows{{"moment", "became", "at", ""}};
  for (const auto& n : s.at("moments"))
    rows.add({moment_text(n.at("moment")), n.value("fate", ""), moment_text(n.at("at")),
              cut(printable(n.value("text", "")), 100)});
  if (!s.at("moments").empty())
    std::cout << rows.text(standard_output());
  return done;
}

int next(const schedule_arguments& g) {
  const auto s = shown(g);
  if (g.node.json) {
    print_json({{"name", s.at("name")}, {"next", s.at("next")}});
    return done;
  }
  if (s.value("is_paused", false))
    std::cout << "it is paused; otherwise these would be next:\n";
  const auto zone = s.value("zone", "");
  table rows{{"here", "UTC", zone.empty() ? zone : "in " + zone}};
  for (const auto& moment : s.at("next"))
    rows.add({moment_text(moment), moment.get<std::string>(), shown_in(zone, moment)});
  std::cout << rows.text(standard_output());
  return done;
}

int put(const schedule_arguments& g) {
  require_file(g.file);
  const auto text = runtime::read_text_file(g.file);
  parse_schedules(text, g.file); // its mistakes are told with the file's name and line
  const auto answer = connect(g.node).call(api::schedule_put, {{"text", text}, {"who", who_acts()}, {"why", g.why}});
  if (g.node.json) {
    print_json(answer);
    return done;
  }
  for (const auto& name : answer.at("names")) {
    const auto& changed = answer.at("changed");
    const bool is_new = std::find(changed.begin(), changed.end(), name) != changed.end();
    std::cout << "schedule " << name.get<std::string>() << (is_new ? " is stored\n" : " is unchanged\n");
  }
  return done;
}

int act(const schedule_arguments& g) {
  const auto answer =
    connect(g.node).call(api::schedule_act, {{"name", g.name}, {"act", g.act}, {"who", who_acts()}, {"why", g.why}});
  if (g.node.json)
    print_json(answer);
  else if (g.act != "run")
    std::cout << "schedule " << g.name << ": " << g.act << "d\n";
  else
    std::cout << "task " << printable(answer.value("task", ""))
              << (answer.value("is_queued", false) ? " is made when the one before is over\n" : " is made\n");
  return done;
}

void add_named(CLI::App& to, schedule_arguments& g) {
  to.add_option("name", g.name, "The schedule")->required()->check(why_empty, "")->type_name("NAME");
  add_node_choice(to, g.node);
}

} // namespace

void add_schedule(CLI::App& to, command& chosen) {
  auto* schedule = to.add_subcommand("schedule", "Create tasks on a schedule (cron or interval)");
  schedule->require_subcommand(1);
  const auto g = std::make_shared<schedule_arguments>();
  auto* lists = schedule->add_subcommand("list", "All schedules, each with its next moment");
  add_node_choice(*lists, g->node);
  lists->callback([g, &chosen] { chosen = [g] { return list(*g); }; });

  auto* shows =
    schedule->add_subcommand("show", "A schedule, why it is not running now, and what became of its latest moments");
  add_named(*shows, *g);
  shows->footer("Example: steadfast schedule show nightly");
  shows->callback([g, &chosen] { chosen = [g] { return show(*g); }; });

  auto* nexts = schedule->add_subcommand("next", "Its next moments");
  add_named(*nexts, *g);
  nexts->add_option("--count", g->count, "How many [10]")->check(CLI::Range(1, 1000))->type_name("N");
  nexts->footer("Example: steadfast schedule next nightly --count 20");
  nexts->callback([g, &chosen] { chosen = [g] { return next(*g); }; });

  auto* puts = schedule->add_subcommand("put", "Create or replace the schedules in a file");
  puts->add_option("file", g->file, "A file with tables [[schedule]]")->required()->type_name("FILE");
  puts->add_option("--why", g->why, "Reason, kept among the alerts")->type_name("TEXT");
  add_node_choice(*puts, g->node);
  puts->footer("Example: steadfast schedule put nightly.toml");
  puts->callback([g, &chosen] { chosen = [g] { return put(*g); }; });

  for (const auto& [name, meaning] :
       {std::pair{"pause", "Create no tasks until it is resumed"},
        std::pair{"resume", "Continue; moments that passed while it was paused are skipped"},
        std::pair{"run", "Create a task now"}, std::pair{"remove", "Delete it; its tasks stay"}}) {
    auto* acts = schedule->add_subcommand(name, meaning);
    add_named(*acts, *g);
    acts->add_option("--why", g->why, "Reason, kept among the alerts")->type_name("TEXT");
    acts->footer(std::string{"Example: steadfast schedule "} + name + " nightly --why 'stocktaking this week'");
    acts->callback([g, &chosen, word = std::string{name}] {
      g->act = word;
      chosen = [g] { return act(*g); };
    });
  }
}

} // namespace steadfast::apps
