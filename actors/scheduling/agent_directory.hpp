#pragma once

#include "actors/protocol/protocols.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace steadfast::actors {

/// What a scheduler knows of one agent.
struct agent_load {
  std::string agent;
  std::string node;
  std::uint64_t in_flight = 0;  ///< attempts sent by this scheduler
  std::uint64_t unanswered = 0; ///< attempts expired or declined since its last other report
};

/// Which agents can be reached, and where a scheduler's attempts are. workflow::choose_place decides where one goes.
class agent_directory {
public:
  void learn(const agents_alive& m);

  /// Whether the order for this attempt was sent from here. If its agent is gone, nobody knows whether it acted: only
  /// the attempt's complete-by can end it.
  bool has_order(const workflow::task& t, std::size_t step) const;

  /// The agent that gets this attempt. Null: no agent of that name is alive.
  agent_actor route(const workflow::task& t, std::size_t step);

  /// The agents that may have this attempt: where it was sent, or all of that name if another scheduler sent it.
  std::vector<agent_actor> holders(const workflow::task& t, std::size_t step) const;

  /// The agent that got this step's last order has reported: `has_declined`: only that it does not take the order.
  void heard_of(std::uint64_t task, std::size_t step, bool has_declined);
  /// The task has changed: ended attempts no longer count as under way.
  void settle(const workflow::task& t);
  void forget(std::uint64_t task);
  std::vector<agent_load> loads() const; ///< by agent and node

private:
  /// An agent on a node. When it leaves, it is dropped here, but the orders that it got keep it.
  struct known_agent {
    agent_load load;
    agent_actor agent;
  };
  using known_agents = std::vector<std::shared_ptr<known_agent>>;
  struct order_sent {
    std::uint32_t attempt = 0;
    std::shared_ptr<known_agent> to; ///< null: to nobody
    bool open = false;
  };

  const known_agents& agents_of(const std::string& agent) const;
  struct orders {
    std::vector<order_sent> last;  ///< of each step
    std::vector<std::size_t> open; ///< the steps whose last order is open
  };
  const order_sent* last_order(std::uint64_t task, std::size_t step) const; ///< null: none was sent from here
  static void close(order_sent& o);

  std::map<std::string, known_agents> agents_;     ///< by agent
  std::unordered_map<std::uint64_t, orders> sent_; ///< by task
};

} // namespace steadfast::actors
