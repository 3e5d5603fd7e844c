#include "api/names.hpp"
#include "apps/command_line/commands.hpp"
#include "apps/command_line/documents.hpp"
#include "apps/command_line/filter.hpp"
#include "apps/command_line/node_access.hpp"
#include "apps/commands/tasks/follow.hpp"
#include "apps/terminal/exit_code.hpp"
#include "apps/terminal/failure.hpp"
#include "client/time_id.hpp"
#include "runtime/text/quantity.hpp"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <iostream>
#include <memory>
#include <optional>
#include <utility>

namespace steadfast::apps {
namespace {

using nlohmann::json;

struct submit_arguments {
  node_choice node;
  std::string workflow;
  std::string id;
  std::string payload;
  std::string data;
  std::optional<unsigned> priority;
  unsigned version = 0;
  std::string not_before;
  std::string reply_to;
  std::string on_conflict;
  bool replaces = false;
  std::string debounce;
  bool wait = false;
  follow_choice how;
};

json params_of(const submit_arguments& g) {
  const auto payload = g.payload.empty() ? g.data : read_document(g.payload);
  require_json(payload, "the payload");
  json params{{"workflow", g.workflow}, {"payload", payload}, {"id", g.id.empty() ? make_time_id() : g.id}};
  if (g.priority)
    params["priority"] = *g.priority;
  if (g.version != 0)
    params["version"] = g.version;
  if (!g.reply_to.empty())
    params["reply_to"] = g.reply_to;
  if (!g.not_before.empty())
    params["not_before_ms"] =
      parse_moment(g.not_before, wall_clock(), false, "--not-before").time_since_epoch().count();
  if (g.replaces)
    params["on_conflict"] = "replace";
  else if (!g.on_conflict.empty())
    params["on_conflict"] = g.on_conflict;
  if (!g.debounce.empty()) {
    const auto length = runtime::parse_span(g.debounce);
    if (!length)
      throw failure{wrong_usage,
                    "--debounce: `" + g.debounce + "` is not a duration: write " + std::string{runtime::span_rule}};
    params["on_conflict"] = "replace";
    params["debounce_ms"] = length->count();
  }
  return params;
}

void print_receipt(const submit_arguments& g, const json& receipt) {
  const bool created = receipt.at("created");
  if (g.node.json && !g.wait)
    print_json(receipt);
  else if (!g.node.json)
    std::cout << receipt.at("id").get<std::string>()
              << (created ? "  accepted"
                  : receipt.value("replaced", false)
                    ? "  replaced a task that had not begun"
                    : "  already exists, " + receipt.at("process_state").get<std::string>())
              << std::endl;
}

int submit(const submit_arguments& g) {
  check(g.how);
  const auto params = params_of(g);
  auto node = connect(g.node);
  const auto receipt = node.call(api::submit, params);
  print_receipt(g, receipt);
  if (!g.wait)
    return done;
  auto how = g.how;
  how.json = g.node.json;
  return follow(std::move(node), g.node, receipt.at("id"), how);
}

} // namespace

void add_submit(CLI::App& to, command& chosen) {
  auto g = std::make_shared<submit_arguments>();
  g->data = "null";
  auto* sub = to.add_subcommand("submit", "Submit a task of a workflow; it is on disk when this returns");
  sub->add_option("workflow", g->workflow, "Name of the workflow")
    ->required()
    ->type_name("WORKFLOW")
    ->check(why_empty, "");
  sub->add_option("--id", g->id, "Id of the task; submitting the same id again is the same task [a new one]")
    ->check(why_empty, "")
    ->type_name("ID");
  auto* payload = sub->add_option("--payload", g->payload, "JSON file; - is standard input [null]")->type_name("FILE");
  sub->add_option("--data", g->data, "JSON text, instead of a file")->type_name("JSON")->excludes(payload);
  sub->add_option("--priority", g->priority, "0 first, 9 last [the workflow's]")->check(CLI::Range(0U, 9U));
  sub->add_option("--workflow-version", g->version, "Version of the workflow [the newest]")->type_name("N");
  sub
    ->add_option("--not-before,--at", g->not_before,
                 "Start at this moment at the earliest: a time, or a duration from now")
    ->type_name("WHEN");
  auto* conflict = sub
                     ->add_option("--on-conflict", g->on_conflict,
                                  "If the id is taken: same, refuse, or replace (if it has not begun) [same]")
                     ->check(CLI::IsMember({"same", "refuse", "replace"}))
                     ->type_name("WHAT");
  auto* replaces =
    sub->add_flag("--replace", g->replaces, "Replace a task of this id that has not begun")->excludes(conflict);
  sub
    ->add_option("--debounce", g->debounce,
                 "Replace a task that has not begun, and start it this long after the last submission")
    ->type_name("SPAN")
    ->excludes(conflict)
    ->excludes(replaces);
  sub->add_option("--reply-to", g->reply_to, "Observer that receives progress")->type_name("NAME");
  sub->add_flag("--wait", g->wait, "Show progress until the task has ended; the exit code says how");
  add_follow_choice(*sub, g->how);
  add_node_choice(*sub, g->node);
  sub->footer("With --wait the exit code is 0 when the task was processed, 2 when it was undone, 3 when it needs a "
              "person, 4 when\n"
              "the limit passed. Ctrl-C stops waiting, not the task.\n\n"
              "Example: steadfast submit drone_delivery --id d-1 --payload delivery.json --wait");
  sub->callback([g, &chosen] { chosen = [g] { return submit(*g); }; });
}

} // namespace steadfast::apps
