// Events from outside.

#include "api/names.hpp"
#include "apps/command_line/commands.hpp"
#include "apps/command_line/documents.hpp"
#include "apps/command_line/filter.hpp"
#include "apps/command_line/node_access.hpp"
#include "apps/command_line/paged_list.hpp"
#include "apps/terminal/exit_code.hpp"
#include "apps/terminal/failure.hpp"
#include "apps/terminal/table.hpp"
#include "apps/terminal/terminal.hpp"
#include "apps/views/story.hpp"
#include "runtime/text/quantity.hpp"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <iostream>
#include <memory>
#include <string>
#include <utility>

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

std::string whom(const json& e) {
  return e.contains("task") ? "only task " + e.value("task", "") : e.value("key", "-");
}

int list(const event_arguments& g) {
  auto params = json::object();
  for (const auto& [name, value] : {std::pair{"event", &g.name}, {"key", &g.key}, {"task", &g.task}})
    if (!value->empty())
      params[name] = *value;
  const auto row_of = [now = wall_clock()](const json& e) -> std::vector<cell> {
    return {std::to_string(e.value("number", std::uint64_t{0})),
            e.value("event", ""),
            printable(whom(e)),
            printable(e.value("id", "-")),
            moment_text(e.at("at"), now),
            moment_text(e.at("kept_until"), now),
            std::to_string(e.value("data_size", std::uint64_t{0})),
            printable(e.value("who", "-"))};
  };
  print_all(g.node, {api::event_list, "events", "after"}, std::move(params),
            table{{"event", "name", "key", "id", "sent", "kept until", "bytes", "by"}}, row_of, "no event is kept\n");
  return done;
}

} // namespace

void add_event(CLI::App& to, command& chosen) {
  auto* event = to.add_subcommand("event", "Send an event to the tasks that wait for it, and list events");
  event->require_subcommand(1);
  auto g = std::make_shared<event_arguments>();
  auto* sends = event->add_subcommand("send", "Send an event, which is kept for those that wait for it later");
  sends->add_option("event", g->name, "Its name")->required()->check(why_empty, "")->type_name("EVENT");
  sends->add_option("--key", g->key, "Which tasks take it: those whose step has this key")
    ->check(why_empty, "")
    ->type_name("KEY");
  sends->add_option("--task", g->task, "The only task that takes it, instead of a key")
    ->check(why_empty, "")
    ->type_name("ID");
  sends->add_option("--data", g->data, "The result of the steps that wait for it [null]")->type_name("JSON");
  sends->add_option("--keep", g->keep, "How long it is kept [as the store is configured]")->type_name("TIME");
  sends->add_option("--id", g->id, "Your id for it: sent again with the same id while it is kept, it changes nothing")
    ->check(why_empty, "")
    ->type_name("ID");
  add_node_choice(*sends, g->node);
  sends->footer("Example: steadfast event send paid --key order-4711 --data '{\"euros\": 20}'");
  sends->callback([g, &chosen] { chosen = [g] { return send(*g); }; });

  auto of = std::make_shared<event_arguments>();
  auto* lists = event->add_subcommand("list", "List the events that are kept");
  auto* name = lists->add_option("event", of->name, "Only those of this name");
  name->check(why_empty, "")->type_name("EVENT");
  auto* with_key = lists->add_option("--key", of->key, "Only those with this key");
  with_key->needs(name)->type_name("KEY");
  auto* for_task = lists->add_option("--task", of->task, "Only those for this task alone");
  for_task->needs(name)->excludes(with_key)->type_name("ID");
  add_node_choice(*lists, of->node);
  lists->footer("Example: steadfast event list paid --key order-4711\n"
                "An event is kept until its time is over, even if tasks have taken it: another may wait for it later.");
  lists->callback([of, &chosen] { chosen = [of] { return list(*of); }; });
}

} // namespace steadfast::apps
