// Receivers of alerts and task outcomes, and where each stands.

#include "api/names.hpp"
#include "apps/command_line/commands.hpp"
#include "apps/command_line/filter.hpp"
#include "apps/command_line/node_access.hpp"
#include "apps/terminal/exit_code.hpp"
#include "apps/terminal/table.hpp"
#include "apps/terminal/terminal.hpp"
#include "runtime/text/quantity.hpp"
#include "workflow/text/split.hpp"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <cstdint>
#include <iostream>
#include <memory>
#include <string>

namespace steadfast::apps {
namespace {

using nlohmann::json;

struct webhook_arguments {
  node_choice node;
  std::string name;
};

std::string events_of(const json& webhook) {
  const auto workflows = webhook.value("workflows", std::vector<std::string>{});
  return workflow::joined(webhook.value("events", std::vector<std::string>{}), ", ")
         + (workflows.empty() ? "" : " of " + workflow::joined(workflows, ", "));
}

cell webhook_state(const json& webhook) {
  if (!webhook.value("answers", false))
    return {"no answer", colour::bad};
  return webhook.value("away", false) ? cell{"away", colour::bad} : cell{"well", colour::good};
}

std::string waiting_of(const json& webhook) {
  const auto waiting = webhook.value("waiting", std::uint64_t{0});
  const auto text = (webhook.value("more_waiting", false) ? "> " : "") + std::to_string(waiting);
  const workflow::span oldest{webhook.value("oldest_ms", std::int64_t{0})};
  return waiting == 0 ? text : text + ", since " + runtime::span_text(std::chrono::ceil<std::chrono::seconds>(oldest));
}

table webhook_table(const json& webhooks) {
  table rows{{"webhook", "node", "receiver", "told of", "state", "waiting", "delivered", "given up", "last failure"}};
  for (const auto& w : webhooks) {
    const auto service = w.value("service", "");
    rows.add({w.value("name", ""), w.value("node", ""), service, events_of(w), webhook_state(w), waiting_of(w),
              std::to_string(w.value("delivered", std::uint64_t{0})),
              std::to_string(w.value("given_up", std::uint64_t{0})), cut(printable(w.value("last_failure", "")), 60)});
  }
  return rows;
}

int list_all(const webhook_arguments& g) {
  const auto answer = connect(g.node).call(api::webhook_list, json::object());
  const auto& webhooks = answer.at("webhooks");
  if (g.node.json)
    for (const auto& w : webhooks)
      print_json(w);
  else if (webhooks.empty())
    std::cout << "there are no webhooks\n";
  else
    std::cout << webhook_table(webhooks).text(standard_output());
  return tell_silent_nodes(answer);
}

int test_one(const webhook_arguments& g) {
  const auto answer = connect(g.node).call(api::webhook_test, {{"webhook", g.name}});
  const bool delivered = answer.at("delivered");
  if (g.node.json)
    print_json(answer);
  else if (delivered)
    std::cout << "delivered in " << answer.at("took_ms") << " ms\n";
  else
    std::cout << "not delivered: " << printable(answer.value("why", "")) << '\n';
  return delivered ? done : refused;
}

} // namespace

void add_webhook(CLI::App& to, command& chosen) {
  auto* webhook = to.add_subcommand("webhook", "Receivers of alerts and task outcomes");
  webhook->require_subcommand(1);
  auto g = std::make_shared<webhook_arguments>();
  auto* list = webhook->add_subcommand("list", "Each webhook: its receiver, what waits for it, its last failure");
  add_node_choice(*list, g->node);
  list->footer("Example: steadfast webhook list");
  list->callback([g, &chosen] { chosen = [g] { return list_all(*g); }; });
  auto* test = webhook->add_subcommand("test", "Send a test notification, and say whether it arrived");
  test->add_option("webhook", g->name, "The webhook, of the node that has the store")
    ->required()
    ->check(why_empty, "")
    ->type_name("WEBHOOK");
  add_node_choice(*test, g->node);
  test->footer("The exit code is 1 when the receiver did not take it.\n\nExample: steadfast webhook test on-call");
  test->callback([g, &chosen] { chosen = [g] { return test_one(*g); }; });
}

} // namespace steadfast::apps
