#include "apps/commands/tasks/task_list.hpp"
#include "api/names.hpp"
#include "apps/command_line/commands.hpp"
#include "apps/command_line/filter.hpp"
#include "apps/command_line/node_access.hpp"
#include "apps/command_line/pager.hpp"
#include "apps/terminal/failure.hpp"
#include "apps/terminal/table.hpp"
#include "apps/views/story.hpp"
#include "runtime/text/quantity.hpp"
#include "runtime/text/time_text.hpp"
#include "workflow/on_call/finding.hpp"

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
  std::string by;
  std::string sort;
  bool reverse = false;
  bool wide = false;
  std::string from;
};

std::string rest_of_steps(const json& t) {
  return std::to_string(t.value("steps_done", 0)) + "/" + std::to_string(t.value("steps_total", 0));
}

std::string text_at(const json& t, const char* name) {
  return t.value(name, std::string{});
}

/// How long it took, or has taken so far.
std::string age(const json& t, workflow::instant now) {
  return rough_text(std::max(now - instant_of(t.value("submitted_at", json{})), workflow::span{0}));
}

std::string took(const json& t) {
  const auto ended = instant_of(t.value("ended_at", json{}));
  return ended == workflow::unset ? "" : rough_text(ended - instant_of(t.value("submitted_at", json{})));
}

std::string short_moment(const json& rfc3339) {
  const auto t = instant_of(rfc3339);
  return t == workflow::unset ? "" : local_text(t);
}

table empty_table(bool is_wide) {
  if (is_wide)
    return table{{"id", "workflow", "version", "state", "steps", "priority", "submitted", "ended", "took", "deadline",
                  "failures", "locked by", "cause"}};
  return table{{"id", "workflow", "state", "steps", "priority", "age", "locked by", "cause"}};
}

void add_row(table& rows, const json& t, workflow::instant now, bool is_wide) {
  const auto state = text_at(t, "process_state");
  const cell painted{state, colour_of_state(state)};
  const auto priority = std::to_string(t.value("priority", 0));
  if (is_wide)
    rows.add({text_at(t, "id"), text_at(t, "workflow"), std::to_string(t.value("version", 0)), painted,
              rest_of_steps(t), priority, short_moment(t.value("submitted_at", json{})),
              short_moment(t.value("ended_at", json{})), took(t), short_moment(t.value("complete_by", json{})),
              std::to_string(t.value("failure_count", 0)), text_at(t, "locked_by"), text_at(t, "cause")});
  else
    rows.add({text_at(t, "id"), text_at(t, "workflow"), painted, rest_of_steps(t), priority, age(t, now),
              text_at(t, "locked_by"), text_at(t, "cause")});
}

int print_count(client& node, const task_list_arguments& g, const json& params) {
  const auto count = node.call(api::task_count, params);
  if (g.node.json)
    print_json(count);
  else
    std::cout << count.at("count") << '\n';
  return 0;
}

std::string group_text(const json& group, bool is_hour) {
  if (group.is_null())
    return "-";
  return is_hour ? local_text(instant_of(group)).substr(0, 16) : group.get<std::string>();
}

/// The states that any of the groups has, in their order.
std::vector<std::string> states_in(const json& groups) {
  std::vector<std::string> found;
  for (const auto& state : state_names())
    for (const auto& group : groups)
      if (group.at("states").contains(state)) {
        found.push_back(state);
        break;
      }
  return found;
}

void print_groups(const json& counted, const std::string& by, workflow::instant now) {
  const auto& groups = counted.at("groups");
  const auto states = by == "state" ? std::vector<std::string>{} : states_in(groups);
  std::vector<std::string> headings{"tasks"};
  headings.insert(headings.end(), states.begin(), states.end());
  headings.insert(headings.end(), {"oldest", "newest", by});
  table rows{headings};
  for (const auto& g : groups) {
    std::vector<cell> row{std::to_string(g.value("count", std::uint64_t{0}))};
    for (const auto& state : states) {
      const auto n = g.at("states").value(state, std::uint64_t{0});
      row.push_back(n == 0 ? cell{""} : cell{std::to_string(n), colour_of_state(state)});
    }
    for (const char* moment : {"oldest", "newest"})
      row.emplace_back(relative_text(instant_of(g.at(moment)), now));
    row.emplace_back(group_text(g.at("group"), by == "hour"));
    rows.add(std::move(row));
  }
  std::cout << (rows.empty() ? "no task matches\n" : rows.text(standard_output()));
  if (const auto others = counted.value("in_no_group", std::uint64_t{0}); others > 0)
    std::cout << runtime::counted(others, "task") << (others == 1 ? " is" : " are")
              << " in further groups: --where chooses\n";
}

int count_by(client& node, const task_list_arguments& g, json params, workflow::instant now) {
  params["by"] = g.by;
  auto counted = node.call(api::task_count, params);
  auto& groups = counted.at("groups");
  if (g.by == "hour")
    std::sort(groups.begin(), groups.end(), [](const json& a, const json& b) { return a.at("group") > b.at("group"); });
  if (!g.node.json) {
    print_groups(counted, g.by, now);
    return 0;
  }
  for (const auto& group : groups)
    print_json(group);
  return 0;
}

/// The value of --from: a number, or with an order a number and a key.
json position_of(const task_list_arguments& g) {
  const auto digits = std::min(g.from.find_first_not_of("0123456789"), g.from.size());
  const bool is_number = digits == g.from.size() && digits < 20;
  const bool has_key = digits > 0 && g.from.substr(digits).starts_with('-') && g.from.size() % 2 == (digits + 1) % 2
                       && g.from.find_first_not_of("0123456789abcdef", digits + 1) == std::string::npos;
  if (!is_number && !has_key)
    throw failure{wrong_usage,
                  "--from: `" + g.from + "` is not a position in a list: a list that was cut ends with one"};
  if (has_key && g.sort.empty() && !g.reverse)
    throw failure{wrong_usage, "--from: `" + g.from + "` is a position in a sorted list: also give its --sort"};
  return is_number ? json(std::stoull(g.from)) : json(g.from);
}

std::string text_of_position(const json& next) {
  return next.is_string() ? next.get<std::string>() : next.dump();
}

int list(const task_list_arguments& g) {
  const auto now = wall_clock();
  auto params = parse_where(g.where, now);
  const auto before = g.from.empty() ? json{} : position_of(g);
  auto node = connect(g.node);
  if (g.count)
    return print_count(node, g, params);
  if (!g.by.empty())
    return count_by(node, g, params, now);
  if (!g.sort.empty())
    params["sort"] = g.sort;
  if (g.reverse)
    params["reverse"] = true;
  if (!g.from.empty())
    params["before"] = before;
  if (g.node.json) {
    for_each_task(node, params, g.limit, [](const json& t) { print_json(t); });
    return 0;
  }
  auto rows = empty_table(g.wide);
  const auto next = for_each_task(node, params, g.limit, [&](const json& t) { add_row(rows, t, now, g.wide); });
  auto to = standard_output();
  if (g.wide)
    to.width = terminal::unlimited;
  std::cout << (rows.empty() ? "no task matches\n" : rows.text(to));
  if (!next.is_null())
    std::cout << "there are more: --limit shows more than " << g.limit << ", --from " << text_of_position(next)
              << " continues, --count says how many there are\n";
  return 0;
}

template <std::size_t Size>
CLI::Validator one_of(const std::string_view (&names)[Size]) {
  std::vector<std::string> all;
  for (const auto name : names)
    if (!name.empty())
      all.emplace_back(name);
  return CLI::IsMember{all}.description(""); // the option's help names them
}

} // namespace

void add_task_list(CLI::App& to, command& chosen) {
  auto g = std::make_shared<task_list_arguments>();
  auto* sub = to.add_subcommand("list", "Tasks, the newest first, or how many there are");
  sub->add_option("--where", g->where, where_help)->check(why_empty, "")->type_name("FILTER");
  sub->add_option("--limit", g->limit, "Show at most N [50]")
    ->check(CLI::Range(std::size_t{1}, std::size_t{10'000'000}))
    ->type_name("N");
  auto* count = sub->add_flag("--count", g->count, "Only say how many there are");
  auto* by = sub
               ->add_option("--by", g->by,
                            "How many there are in each group: by workflow, state, cause (ids and times in it do not "
                            "count), agent or step (the current one), or hour (of submission)")
               ->check(one_of(workflow::task_grouping_names))
               ->type_name("GROUPING")
               ->excludes(count);
  sub
    ->add_option(
      "--sort", g->sort,
      "In another order: submitted, ended, took, failures (the most first), priority, deadline, id or workflow "
      "(the least first)")
    ->check(one_of(workflow::task_order_names))
    ->type_name("ORDER")
    ->excludes(by);
  sub->add_flag("--reverse", g->reverse, "In reverse order; without --sort the oldest first")->excludes(by);
  sub->add_flag("--wide", g->wide, "More columns, and nothing cut");
  sub->add_option("--from", g->from, "Continue where a list ended; the list says where")
    ->check(why_empty, "")
    ->type_name("PLACE");
  add_node_choice(*sub, g->node);
  sub->footer("Example: steadfast task list --where 'state=error|suspended,workflow=order_processing,after=2h'\n"
              "         steadfast task list --where state=error --by cause\n"
              "         steadfast task list --sort took --limit 10");
  sub->callback([g, &chosen] { chosen = paged(g->node.json, [g] { return list(*g); }); });
}

} // namespace steadfast::apps
