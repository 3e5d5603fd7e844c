#include "runtime/node/own_agents.hpp"

#include "actors/agents/http/http_loop.hpp"
#include "runtime/logging/log.hpp"
#include "runtime/text/step_token.hpp"
#include "steadfast/node_error.hpp"
#include "workflow/supervision/node_card.hpp"
#include "workflow/text/name.hpp"

#include <algorithm>
#include <set>
#include <utility>
#include <variant>

namespace steadfast {

namespace {

constexpr workflow::span end_of_function{1000}; ///< at least, from asking it to end until it is named

actors::agent_options with_tokens(actors::agent_options o) {
  o.tokens = runtime::issue_step_token;
  return o;
}

/// The agent's options with its secrets among the named texts, for the agent alone; nothing if it is of another kind.
template <class Options>
std::optional<Options> with_secrets(const agent_entry& a, std::map<std::string, std::string> Options::*texts) {
  const auto* o = std::get_if<Options>(&a.kind);
  if (!o)
    return std::nullopt;
  auto whole = *o;
  for (const auto& [name, value] : a.secrets) {
    (whole.*texts)[name] = value.reveal();
    whole.secrets.push_back(value.reveal());
  }
  return whole;
}

/// All agents over HTTP make their calls on the thread of one loop, which ends with the last of them.
actors::agent_actor make_configured(caf::actor_system& sys, const agent_entry& a,
                                    const actors::partition_clocks& clocks, std::shared_ptr<actors::http_loop>& loop) {
  const auto common = with_tokens(a.common);
  if (auto http = with_secrets<actors::http_options>(a, &actors::http_options::headers)) {
    if (!loop)
      loop = std::make_shared<actors::http_loop>();
    return actors::spawn_http_agent(sys, common, clocks, *http, loop);
  }
  const auto program = with_secrets<actors::program_options>(a, &actors::program_options::environment);
  return actors::spawn_program_agent(sys, common, clocks, *program);
}

} // namespace

bool own_agents::function::is_empty() const {
  return std::visit([](const auto& f) { return !f.run; }, run);
}

bool own_agents::function::is_blocking() const {
  return std::holds_alternative<actors::blocking_function>(run);
}

void own_agents::add(const std::string& name, actors::agent_function run, actors::agent_options options) {
  options.name = name;
  functions_.push_back({std::move(options), std::move(run)});
}

std::vector<std::string> own_agents::problems(const node_options& o) const {
  std::vector<std::string> found;
  std::set<std::string> names;
  for (const auto& a : o.agents)
    names.insert(a.common.name);
  for (const auto& f : functions_) {
    const auto where = "agent " + workflow::quoted(f.options.name) + ": ";
    if (!names.insert(f.options.name).second)
      found.push_back(where + "there are two of that name");
    if (f.is_empty())
      found.push_back(where + "its function is empty");
    for (const auto& p : actors::problems(f.options))
      found.push_back(where + p);
  }
  std::size_t bytes = 0;
  for (const auto& name : names)
    bytes += name.size() + 1;
  if (bytes > workflow::agent_names_max)
    found.push_back("the names of its " + std::to_string(names.size()) + " agents have " + std::to_string(bytes)
                    + " bytes with a comma each, and a node can tell the others "
                    + std::to_string(workflow::agent_names_max) + ": give some of the agents to another node");
  return found;
}

std::size_t own_agents::on_their_turn() const {
  const auto n = std::ranges::count_if(functions_, [](const auto& f) { return !f.is_blocking(); });
  return static_cast<std::size_t>(n);
}

void own_agents::make(caf::actor_system& sys, const node_options& o, const actors::partition_clocks& clocks,
                      by_name& into) const {
  const auto add = [&into](const std::string& name, actors::agent_actor agent) {
    if (!into.emplace(name, std::move(agent)).second)
      throw node_error{"agent `" + name + "`: there are two of that name"};
  };
  for (const auto& f : functions_)
    add(f.options.name, actors::spawn_function_agent(sys, with_tokens(f.options), clocks, f.run, threads_));
  std::shared_ptr<actors::http_loop> loop;
  for (const auto& a : o.agents)
    add(a.common.name, make_configured(sys, a, clocks, loop));
}

void own_agents::watch(caf::actor_system& sys, const by_name& made) {
  by_name watched;
  for (const auto& f : functions_)
    if (const auto found = made.find(f.options.name); found != made.end() && !f.is_blocking())
      watched.insert(*found);
  if (!watched.empty())
    watch_ = std::make_unique<function_watch>(sys, std::move(watched),
                                              [](const std::string& line) { log_line("warning", line); });
}

void own_agents::let_end() {
  if (watch_)
    watch_->let_end();
}

void own_agents::stop_watching() {
  watch_.reset();
}

std::vector<std::string> own_agents::functions_that_run_on(std::optional<workflow::span> limit) const {
  const auto asked = std::chrono::steady_clock::now();
  const auto end = std::max(threads_->last_due().value_or(asked), asked + end_of_function);
  auto names = threads_->wait_until(limit ? asked + *limit : end);
  for (const auto& name : names)
    log_line("warning", "the node has stopped, and the function of agent `" + name
                          + "` runs on; it should watch the stop token of its call");
  return names;
}

} // namespace steadfast
