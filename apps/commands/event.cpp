// Events from outside.

#include "api/names.hpp"
#include "apps/command_line/commands.hpp"
#include "apps/command_line/documents.hpp"
#include "apps/command_line/filter.hpp"
#include "apps/command_line/node_access.hpp"
#include "apps/terminal/exit_code.hpp"
#include "apps/terminal/failure.hpp"
#include "runtime/text/quantity.hpp"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <iostream>
#include <memory>
#include <string>

namespace steadfast::apps {
namespace {

using nlohmann::json;

struct event_arguments {
  node_choice node;
  std::string name;
  std::string key;
  std::string task;
  std::string data = "null";
  std::string keep;
  std::string id;
};

int send(const event_arguments& g) {
  require_json(g.data, "--data");
  json params{{"event", g.name}, {"data", g.data}, {"who", who_acts()}};
  if (!g.key.empty())
    params["key"] = g.key;
  if (!g.task.empty())
    params["task"] = g.task;
  if (!g.id.empty())
    params["id"] = g.id;
  if (!g.keep.empty()) {
    const auto keep = runtime::parse_span(g.keep);
    if (!keep)
      throw failure{wrong_usage, "--keep must be a time such as 7d"};
    params["keep_ms"] = keep->count();
  }
  const auto answer = connect(g.node).call(api::event_send, params);
  if (g.node.json) {
    print_json(answer);
    return done;
  }
  if (answer.value("again", false)) {
    std::cout << "event " << answer.at("event") << " was sent before with this id; nothing has changed\n";
    return done;
  }
  const auto taken = answer.value("taken", std::uint64_t{0});
  std::cout << "event " << answer.at("event") << " is kept, and "
            << (taken == 0 ? "no task waited for it" : runtime::counted(taken, "task") + " took it")
            << (answer.value("more", false) ? "; more are about to" : "") << '\n';
  return done;
}

} // namespace

void add_event(CLI::App& to, command& chosen) {
  auto* event = to.add_subcommand("event", "Tell the tasks that wait for it of something that happened");
  event->require_subcommand(1);
  auto g = std::make_shared<event_arguments>();
  auto* sends = event->add_subcommand("send", "Send an event, which is kept for those that wait for it later");
  sends->add_option("event", g->name, "Its name")->required()->check(why_empty, "")->type_name("EVENT");
  sends->add_option("--key", g->key, "Which tasks take it: those whose step has this key")->type_name("KEY");
  sends->add_option("--task", g->task, "The only task that takes it, instead of a key")->type_name("ID");
  sends->add_option("--data", g->data, "What steps that wait for it give as their result [null]")->type_name("JSON");
  sends->add_option("--keep", g->keep, "So long it can be taken [as the store is configured]")->type_name("TIME");
  sends->add_option("--id", g->id, "Yours: sent again with it, while it is kept, it changes nothing")->type_name("ID");
  add_node_choice(*sends, g->node);
  sends->footer("Example: steadfast event send paid --key order-4711 --data '{\"euros\": 20}'");
  sends->callback([g, &chosen] { chosen = [g] { return send(*g); }; });
}

} // namespace steadfast::apps
