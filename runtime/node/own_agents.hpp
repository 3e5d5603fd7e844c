#pragma once

#include "actors/agents/agents.hpp"
#include "actors/agents/call_threads.hpp"
#include "runtime/assembly/function_watch.hpp"
#include "runtime/configuration/node_options.hpp"

#include <chrono>
#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace steadfast {

/// The agents of a node: the functions of the program that it is in, and those of its configuration. Used by the thread
/// that starts and stops the node.
class own_agents {
public:
  using by_name = std::map<std::string, actors::agent_actor>;

  void add(const std::string& name, actors::agent_function run, actors::agent_options options);

  /// A sentence for each mistake, with those between the functions and the options.
  std::vector<std::string> problems(const node_options& o) const;
  std::size_t on_their_turn() const; ///< functions that may hold a thread of the actors

  /// Spawns them all. Throws node_error.
  void make(caf::actor_system& sys, const node_options& o, const actors::partition_clocks& clocks, by_name& into) const;

  /// The log names functions that hold a thread of the actors for too long.
  void watch(caf::actor_system& sys, const by_name& made);
  void let_end(); ///< the actors are about to end
  void stop_watching();

  /// Waits for blocking functions and names those that run on after the limit; without one, after the last of them
  /// should be over.
  std::vector<std::string> functions_that_run_on(std::optional<workflow::span> limit) const;

private:
  struct function {
    actors::agent_options options;
    actors::agent_function run;

    bool is_empty() const;
    bool is_blocking() const; ///< runs on a thread of its own and not on an actor's
  };

  std::vector<function> functions_;
  std::shared_ptr<actors::open_threads> threads_ =
    std::make_shared<actors::open_threads>(std::chrono::steady_clock::now); ///< of blocking functions
  std::unique_ptr<function_watch> watch_;
};

} // namespace steadfast
