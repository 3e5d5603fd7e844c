#include "apps/commands/tasks/follow.hpp"

#include "api/names.hpp"
#include "apps/command_line/commands.hpp"
#include "apps/command_line/filter.hpp"
#include "apps/command_line/node_access.hpp"
#include "apps/terminal/failure.hpp"
#include "apps/terminal/interrupt.hpp"
#include "apps/views/progress.hpp"
#include "apps/views/story.hpp"
#include "runtime/text/quantity.hpp"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <chrono>
#include <iostream>
#include <memory>
#include <optional>
#include <thread>
#include <utility>

namespace steadfast::apps {
namespace {

using nlohmann::json;

constexpr workflow::span look_every{100};

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
  return "the task continues: `steadfast task show " + id + "` shows its state";
}

/// A task that is looked at again and again, at a node that may end and be started meanwhile.
class watched_task {
public:
  watched_task(client node, node_choice where, std::string id, std::chrono::milliseconds asks_for)
      : node_{std::move(node)},
        where_{std::move(where)},
        id_{std::move(id)},
        asks_for_{asks_for} {}

  /// Absent: no node answers at present. Throws failure when none has for too long.
  std::optional<json> look() {
    try {
      if (!node_)
        node_ = connect(where_);
      auto shown = node_->call(api::task_show, {{"id", id_}});
      silent_since_.reset();
      return shown;
    } catch (const client_error& e) {
      if (e.why() == client_error::kind::refused || e.why() == client_error::kind::not_found)
        throw;
      node_.reset();
      stay_or_throw();
      return std::nullopt;
    }
  }

private:
  void stay_or_throw() {
    const auto now = std::chrono::steady_clock::now();
    if (!silent_since_) {
      silent_since_ = now;
      std::cerr << "steadfast: the node does not answer; it is asked again for " << runtime::span_text(asks_for_)
                << std::endl;
    } else if (now - *silent_since_ >= asks_for_) {
      throw failure{no_node, "no node has answered for " + runtime::span_text(asks_for_)
                               + "; the task continues when one is back: `steadfast task follow " + id_
                               + "` follows it again"};
    }
  }

  std::optional<client> node_;
  node_choice where_;
  std::string id_;
  std::chrono::milliseconds asks_for_;
  std::optional<std::chrono::steady_clock::time_point> silent_since_;
};

void tell_end(const follow_choice& choice, const json& shown) {
  const auto& task = shown.at("task");
  if (choice.json)
    print_json(task);
  else if (const auto result = result_text(task); !result.empty())
    std::cout << "result " << printable(result) << '\n';
  else if (task.at("process_state") == "error")
    std::cout << explanation_text(shown, wall_clock(), standard_output());
}

struct follow_arguments {
  node_choice node;
  follow_choice how;
  std::string id;
};

int follow_one(const follow_arguments& g) {
  auto how = g.how;
  how.json = g.node.json;
  check(how);
  return follow(connect(g.node), g.node, g.id, how);
}

} // namespace

void add_follow_choice(CLI::App& to, follow_choice& choice) {
  to.add_option("--limit", choice.limit, "Stop waiting after this long [wait until it ends]")->type_name("DURATION");
}

void check(const follow_choice& choice) {
  if (!choice.limit.empty() && !runtime::parse_span(choice.limit))
    throw failure{wrong_usage,
                  "--limit: `" + choice.limit + "` is not a duration: write " + std::string{runtime::span_rule}};
}

int follow(client node, const node_choice& where, const std::string& id, const follow_choice& choice) {
  const interrupt_guard guard;
  const auto limit = choice.limit.empty() ? std::nullopt : runtime::parse_span(choice.limit);
  const auto until = limit ? wall_clock() + *limit : workflow::never;
  watched_task watched{std::move(node), where, id, choice.asks_for};
  progress_teller teller;
  for (;;) {
    const auto looked_at = wall_clock();
    const auto shown = watched.look();
    if (shown && !choice.json)
      for (const auto& line : teller.news(shown->at("task"), looked_at, standard_output()))
        std::cout << line << '\n';
    std::cout.flush();
    if (const auto code = shown ? code_of_end(shown->at("task").at("process_state")) : std::nullopt) {
      tell_end(choice, *shown);
      return *code;
    }
    if (interrupt_guard::interrupted())
      throw failure{interrupted, "stopped watching; " + how_to_go_on(id)};
    if (wall_clock() >= until)
      throw failure{still_running, "not done after " + choice.limit + "; " + how_to_go_on(id)};
    std::this_thread::sleep_for(look_every);
  }
}

void add_task_follow(CLI::App& to, command& chosen) {
  auto g = std::make_shared<follow_arguments>();
  auto* sub = to.add_subcommand("follow", "Follow a task live until it has ended");
  sub->add_option("id", g->id, "The task")->required()->check(why_empty, "")->type_name("ID");
  add_follow_choice(*sub, g->how);
  add_node_choice(*sub, g->node);
  sub->footer(
    "The exit code is 0 when the task was processed, 2 when it was undone, 3 when it needs a person, 4 when the "
    "limit\npassed. Ctrl-C stops the display, not the task.\n\nExample: steadfast task follow order-4711");
  sub->callback([g, &chosen] { chosen = [g] { return follow_one(*g); }; });
}

} // namespace steadfast::apps
