// What the actors of the nodes do, and the state of each.

#include "api/names.hpp"
#include "apps/command_line/commands.hpp"
#include "apps/command_line/filter.hpp"
#include "apps/command_line/node_access.hpp"
#include "apps/command_line/pager.hpp"
#include "apps/terminal/failure.hpp"
#include "apps/terminal/table.hpp"
#include "apps/views/tree.hpp"
#include "runtime/text/quantity.hpp"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <cstdint>
#include <cstdio>
#include <iostream>
#include <memory>

namespace steadfast::apps {
namespace {

using nlohmann::json;

struct actor_arguments {
  node_choice node;
  std::string at;
  std::string kind;
  std::string id;
  std::uint32_t max = 20;
};

std::string rate_text(double per_second) {
  char text[32];
  std::snprintf(text, sizeof text, per_second < 10 ? "%.1f" : "%.0f", per_second);
  return text;
}

std::string took_text(std::uint64_t us) {
  return us < 10'000 ? std::to_string(us) + " us" : std::to_string(us / 1000) + " ms";
}

/// Longer than anybody waits for an answer: the actor hangs in that message.
constexpr std::int64_t hangs_after_ms = 1000;

cell state_cell(const json& a) {
  if (a.value("answers", false))
    return a.value("summary", std::string{});
  const auto busy = a.value("busy_for_ms", std::int64_t{0});
  if (busy < hangs_after_ms)
    return {"does not answer", colour::bad};
  return {"does not answer: busy for " + runtime::span_text(workflow::span{busy}) + " with "
            + a.value("last_message", std::string{}),
          colour::bad};
}

int list(const actor_arguments& g) {
  const auto answer = connect(g.node).call(api::actor_list, {{"node", g.at}, {"kind", g.kind}});
  table rows{{"actor", "waiting", "handled", "per s", "last message", "took", "state"}};
  for (const auto& a : answer.at("actors")) {
    if (g.node.json)
      print_json(a);
    rows.add({a.value("id", std::string{}), std::to_string(a.value("waiting", std::uint64_t{0})),
              std::to_string(a.value("handled", std::uint64_t{0})), rate_text(a.value("per_second", 0.0)),
              a.value("last_message", std::string{}), took_text(a.value("last_took_us", std::uint64_t{0})),
              state_cell(a)});
  }
  if (!g.node.json)
    std::cout << (rows.empty() ? "there is no such actor\n" : rows.text(standard_output()));
  return tell_silent_nodes(answer);
}

int show(const actor_arguments& g) {
  const auto a = connect(g.node).call(api::actor_show, {{"id", g.id}, {"max", g.max}});
  if (g.node.json) {
    print_json(a);
    return a.value("answers", false) ? done : try_again;
  }
  const auto to = standard_output();
  std::cout << painted(printable(a.value("id", std::string{})), colour::strong, to) << "  "
            << runtime::counted(a.value("waiting", std::uint64_t{0}), "message") << " waiting, "
            << a.value("handled", std::uint64_t{0}) << " handled, " << rate_text(a.value("per_second", 0.0))
            << " per s, last " << a.value("last_message", "") << " in "
            << took_text(a.value("last_took_us", std::uint64_t{0})) << '\n';
  const auto state = state_cell(a);
  std::cout << painted(state.text, state.paint, to) << '\n';
  if (!a.value("answers", false))
    return try_again;
  std::cout << tree_text(a.at("state"), wall_clock(), to);
  return done;
}

} // namespace

void add_actor(CLI::App& to, command& chosen) {
  auto* actor = to.add_subcommand("actor", "Look at the actors of the nodes");
  actor->require_subcommand(1);

  auto l = std::make_shared<actor_arguments>();
  auto* list_sub = actor->add_subcommand("list", "Each actor's mailbox, and its state in short");
  list_sub->add_option("--node", l->at, "Of this node only [every living one]")->type_name("NODE");
  list_sub->add_option("--kind", l->kind, "Of this kind only, such as scheduler, agent, lease, store")
    ->type_name("KIND");
  add_node_choice(*list_sub, l->node);
  list_sub->footer("Example: steadfast actor list --kind scheduler");
  list_sub->callback([l, &chosen] { chosen = paged(l->node.json, [l] { return list(*l); }); });

  auto s = std::make_shared<actor_arguments>();
  auto* show_sub = actor->add_subcommand("show", "What an actor works with");
  show_sub->add_option("id", s->id, "As `actor list` shows it")->required()->check(why_empty, "")->type_name("ACTOR");
  show_sub->add_option("--max", s->max, "Entries of each list [20]")->check(CLI::Range(1, 1000));
  add_node_choice(*show_sub, s->node);
  show_sub->footer("Example: steadfast actor show scheduler@node-1");
  show_sub->callback([s, &chosen] { chosen = paged(s->node.json, [s] { return show(*s); }); });
}

} // namespace steadfast::apps
