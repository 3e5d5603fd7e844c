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

#include <algorithm>
#include <iostream>
#include <memory>

namespace steadfast::apps {
namespace {

using nlohmann::json;

struct in_place_arguments {
  node_choice node;
  std::string where;
  bool all = false;
  std::size_t limit = 100;
};

/// Page by page, at most about as many; true: there are more.
template <class Use>
bool for_each_effect(client& node, json params, std::size_t limit, Use use) {
  for (std::size_t n = 0;;) {
    params["max"] = std::min<std::size_t>(500, limit - n);
    const auto page = node.call(api::task_in_place, params);
    for (const auto& x : page.at("in_place"))
      use(x);
    n += page.at("in_place").size();
    if (page.at("next").is_null() || n >= limit)
      return !page.at("next").is_null();
    params["before"] = page.at("next");
  }
}

std::string why_text(const json& x) {
  const auto why = x.value("why", std::string{});
  if (why == "undo_failed")
    return "its undo failed: " + x.value("failure", std::string{});
  if (why == "no_compensation")
    return "it has no compensation";
  return "its undo has not run";
}

int list_in_place(const in_place_arguments& g) {
  const auto now = wall_clock();
  auto params = parse_where(g.where, now);
  params["all"] = g.all;
  auto node = connect(g.node);
  if (g.node.json) {
    for_each_effect(node, params, g.limit, [](const json& x) { print_json(x); });
    return done;
  }
  table rows{{"task", "step", "agent", "key", "since", "certain", "why"}};
  const bool more = for_each_effect(node, params, g.limit, [&](const json& x) {
    rows.add({x.value("task", std::string{}), x.value("step", std::string{}), x.value("agent", std::string{}),
              x.value("key", std::string{}), moment_text(x.value("since", json{}), now),
              x.value("certain", true) ? cell{"yes"} : cell{"no", colour::warning}, why_text(x)});
  });
  if (rows.empty())
    std::cout << (g.all ? "no effect that should have been reversed is still in place\n"
                        : "no failed undo has left anything in place\n");
  else
    std::cout << rows.text(standard_output());
  if (more)
    std::cout << "there are more: --limit shows more than " << g.limit << ", --where chooses\n";
  return done;
}

} // namespace

void add_task_in_place(CLI::App& to, command& chosen) {
  auto g = std::make_shared<in_place_arguments>();
  auto* sub = to.add_subcommand("in-place", "Effects at services that nobody has reversed, after failed undos");
  sub->add_option("--where", g->where, where_help)->check(why_empty, "")->type_name("FILTER");
  sub->add_flag(
    "--all", g->all,
    "Include tasks in error whose undo nobody asked for, and undone tasks whose steps have no compensation");
  sub->add_option("--limit", g->limit, "Show about N at most, in whole tasks [100]")
    ->check(CLI::Range(std::size_t{1}, std::size_t{10'000'000}))
    ->type_name("N");
  add_node_choice(*sub, g->node);
  sub->footer(
    "After you have reversed an effect by hand, take it off the list with `steadfast task skip ID --step NAME`; "
    "`steadfast task undo` "
    "runs the undos again.\n\nExample: steadfast task in-place --where 'workflow=order_processing,after=2h'");
  sub->callback([g, &chosen] { chosen = paged(g->node.json, [g] { return list_in_place(*g); }); });
}

} // namespace steadfast::apps
