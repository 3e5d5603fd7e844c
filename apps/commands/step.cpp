// What whoever has the token of a step says of it.

#include "api/names.hpp"
#include "apps/command_line/commands.hpp"
#include "apps/command_line/documents.hpp"
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

struct step_arguments {
  node_choice node;
  std::string token;
  std::string result = "null";
  std::string text;
  std::string time;
  bool for_now = false;
  bool maybe_done = false;
};

/// A token that is an argument can be seen by everybody on the host.
std::string token_of(const step_arguments& g) {
  auto token = g.token == "-" ? read_document("-") : g.token;
  while (!token.empty() && (token.back() == '\n' || token.back() == '\r'))
    token.pop_back();
  if (token.empty())
    throw failure{wrong_usage, "give the token as an argument, in STEADFAST_TOKEN, or as - on standard input"};
  return token;
}

std::int64_t milliseconds_of(const std::string& time, const char* option) {
  if (time.empty())
    return 0;
  const auto span = runtime::parse_span(time);
  if (!span)
    throw failure{wrong_usage, std::string{option} + " must be a time such as 30s"};
  return span->count();
}

int say(const step_arguments& g, const char* method, json params) {
  params["token"] = token_of(g);
  const auto answer = connect(g.node).call(method, params);
  if (g.node.json)
    print_json(answer);
  else
    std::cout << "done, the task is now " << answer.at("process_state").get<std::string>() << '\n';
  return done;
}

int complete(const step_arguments& g) {
  require_json(g.result, "--result");
  return say(g, api::step_complete, {{"result", g.result}});
}

int fail(const step_arguments& g) {
  return say(g, api::step_fail,
             {{"error", g.text},
              {"for_now", g.for_now},
              {"maybe_done", g.maybe_done},
              {"retry_after_ms", milliseconds_of(g.time, "--retry-after")}});
}

int extend(const step_arguments& g) {
  json params{{"length_ms", milliseconds_of(g.time, "--for")}};
  if (!g.text.empty())
    params["progress"] = g.text;
  return say(g, api::step_extend, std::move(params));
}

CLI::App* add_one(CLI::App& to, const std::shared_ptr<step_arguments>& g, const char* name, const char* help) {
  auto* sub = to.add_subcommand(name, help);
  sub->add_option("token", g->token, "The token; - is standard input")->envname("STEADFAST_TOKEN")->type_name("TOKEN");
  return sub;
}

} // namespace

void add_step(CLI::App& to, command& chosen) {
  auto* step = to.add_subcommand("step", "Complete, fail or extend a step that ends later, by its token");
  step->require_subcommand(1);
  auto g = std::make_shared<step_arguments>();
  auto* completes = add_one(*step, g, "complete", "The step is done");
  completes->add_option("--result", g->result, "What later steps see as its result [null]")->type_name("JSON");
  add_node_choice(*completes, g->node);
  completes->footer("Example: steadfast step complete --result '{\"frames\": 9}'");
  completes->callback([g, &chosen] { chosen = [g] { return complete(*g); }; });
  auto* fails = add_one(*step, g, "fail", "The step failed; without --for-now its task is undone");
  fails->add_option("--why", g->text, "Reason, for people")->type_name("TEXT");
  fails->add_flag("--for-now", g->for_now, "The failure is temporary: try again");
  fails->add_option("--retry-after", g->time, "With --for-now: how long to wait before the next attempt")
    ->type_name("TIME");
  fails->add_flag("--maybe-done", g->maybe_done, "It may have taken effect");
  add_node_choice(*fails, g->node);
  fails->footer("Example: steadfast step fail --for-now --why 'no machine is free'");
  fails->callback([g, &chosen] { chosen = [g] { return fail(*g); }; });
  auto* extends = add_one(*step, g, "extend", "The step is still working");
  extends->add_option("--for", g->time, "Extend it by this long from now, up to its limit [as its workflow says]")
    ->type_name("TIME");
  extends->add_option("--progress", g->text, "Progress, for people")->type_name("TEXT");
  add_node_choice(*extends, g->node);
  extends->footer("Example: steadfast step extend --progress '40 %'");
  extends->callback([g, &chosen] { chosen = [g] { return extend(*g); }; });
}

} // namespace steadfast::apps
