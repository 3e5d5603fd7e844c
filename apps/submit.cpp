#include "apps/commands.hpp"
#include "apps/documents.hpp"
#include "apps/failure.hpp"
#include "apps/filter.hpp"
#include "apps/node_access.hpp"
#include "apps/progress.hpp"
#include "apps/story.hpp"
#include "runtime/quantity.hpp"
#include "runtime/time_id.hpp"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <csignal>
#include <iostream>
#include <memory>
#include <optional>
#include <thread>

namespace steadfast::apps {
namespace {

using nlohmann::json;

constexpr workflow::span look_every{100};

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
  bool wait = false;
  std::string limit;
};

volatile std::sig_atomic_t ctrl_c = 0;

/// While it lives, Ctrl-C only sets the flag.
class ctrl_c_guard {
public:
  ctrl_c_guard() {
    before_ = std::signal(SIGINT, [](int) { ctrl_c = 1; });
  }
  ~ctrl_c_guard() { std::signal(SIGINT, before_); }
  ctrl_c_guard(const ctrl_c_guard&) = delete;
  ctrl_c_guard& operator=(const ctrl_c_guard&) = delete;

private:
  void (*before_)(int) = nullptr;
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
  return params;
}

std::optional<exit_code> code_of_end(const std::string& state) {
  if (state == "processed")
    return done;
  if (state == "undone")
    return task_undone;
  if (state == "error")
    return task_error;
  return std::nullopt;
}

std::string how_to_go_on(const std::string& id) {
  return "the task goes on: `steadfast task show " + id + "` tells how";
}

void tell(const submit_arguments& g, progress_teller& teller, const json& task) {
  if (g.node.json)
    return;
  for (const auto& l : teller.news(task, wall_clock(), standard_output()))
    std::cout << l << '\n';
  std::cout.flush();
}

void tell_end(const submit_arguments& g, const json& shown) {
  const auto& task = shown.at("task");
  if (g.node.json)
    print_json(task);
  else if (task.at("process_state") == "error")
    std::cout << explanation_text(shown, wall_clock(), standard_output());
}

int wait(const submit_arguments& g, client& node, const std::string& id) {
  const ctrl_c_guard guard;
  const auto limit = g.limit.empty() ? std::nullopt : runtime::parse_span(g.limit);
  const auto until = limit ? wall_clock() + *limit : workflow::never;
  progress_teller teller;
  for (;;) {
    const auto shown = node.call("task.show", {{"id", id}});
    tell(g, teller, shown.at("task"));
    if (const auto code = code_of_end(shown.at("task").at("process_state"))) {
      tell_end(g, shown);
      return *code;
    }
    if (ctrl_c != 0)
      throw failure{interrupted, "stopped waiting; " + how_to_go_on(id)};
    if (wall_clock() >= until)
      throw failure{still_running, "not done after " + g.limit + "; " + how_to_go_on(id)};
    std::this_thread::sleep_for(look_every);
  }
}

void print_receipt(const submit_arguments& g, const json& receipt) {
  const bool created = receipt.at("created");
  if (g.node.json && !g.wait)
    print_json(receipt);
  else if (!g.node.json)
    std::cout << receipt.at("id").get<std::string>()
              << (created ? "  accepted" : "  was there already, " + receipt.at("process_state").get<std::string>())
              << std::endl;
}

int submit(const submit_arguments& g) {
  if (!g.limit.empty() && !runtime::parse_span(g.limit))
    throw failure{wrong_usage,
                  "--limit: `" + g.limit + "` is not a duration: write " + std::string{runtime::span_rule}};
  const auto params = params_of(g);
  auto node = connect(g.node);
  const auto receipt = node.call("submit", params);
  print_receipt(g, receipt);
  return g.wait ? wait(g, node, receipt.at("id")) : static_cast<int>(done);
}

} // namespace

void add_submit(CLI::App& to, command& chosen) {
  auto g = std::make_shared<submit_arguments>();
  g->data = "null";
  auto* sub = to.add_subcommand("submit", "Make a task from a workflow; it is on disk when this returns");
  sub->add_option("workflow", g->workflow, "Name of the workflow")->required();
  sub->add_option("--id", g->id, "Id of the task; submitting the same id again is the same task [a new one]")
    ->type_name("ID");
  auto* payload = sub->add_option("--payload", g->payload, "JSON file; - is standard input [null]")->type_name("FILE");
  sub->add_option("--data", g->data, "JSON text, in place of a file")->type_name("JSON")->excludes(payload);
  sub->add_option("--priority", g->priority, "0 first, 9 last [the workflow's]")->check(CLI::Range(0U, 9U));
  sub->add_option("--workflow-version", g->version, "Version of the workflow [the newest]")->type_name("N");
  sub->add_option("--not-before", g->not_before, "Start not before: a moment, or a duration from now")
    ->type_name("WHEN");
  sub->add_option("--reply-to", g->reply_to, "Observer that is told of progress")->type_name("NAME");
  sub->add_flag("--wait", g->wait, "Show progress until the task has ended; the exit code says how");
  sub->add_option("--limit", g->limit, "With --wait: for at most so long")->type_name("DURATION");
  add_node_choice(*sub, g->node);
  sub->footer("With --wait the exit code is 0 when the task was processed, 2 when it was undone, 3 when it needs a "
              "person, 4 when\n"
              "the limit passed. Ctrl-C stops waiting, not the task.\n\n"
              "Example: steadfast submit drone_delivery --id d-1 --payload delivery.json --wait");
  sub->callback([g, &chosen] { chosen = [g] { return submit(*g); }; });
}

} // namespace steadfast::apps
