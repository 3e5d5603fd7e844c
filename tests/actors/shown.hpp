#pragma once

#include "actors/protocol/messages.hpp"
#include "tests/actors/test_node.hpp"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

// What actors show of themselves, to people and to tests alike.

namespace steadfast::tests {

template <class Handle>
actors::actor_state state_of(test_node& node, const Handle& actor) {
  constexpr auto all = std::numeric_limits<std::uint32_t>::max();
  return node.ask<actors::actor_state>(actor, actors::inspect_state{all}).value();
}

template <class Handle>
nlohmann::json shown_by(test_node& node, const Handle& actor) {
  return nlohmann::json::parse(state_of(node, actor).tree);
}

struct shown_supervisor {
  bool active = false;
  std::uint64_t epoch = 0;
  std::uint64_t sweeps = 0;
  std::uint64_t reviewed = 0;
  std::uint64_t decided = 0;
  std::uint64_t stuck = 0;
};

template <class Handle>
shown_supervisor shown_by_supervisor(test_node& node, const Handle& supervisor) {
  const auto tree = shown_by(node, supervisor);
  return {tree.at("active"),   tree.at("epoch"),   tree.at("sweeps"),
          tree.at("reviewed"), tree.at("decided"), tree.at("stuck_tasks_found")};
}

struct shown_scheduler {
  std::uint64_t in_flight = 0;
  std::uint64_t claimed = 0;
  bool draining = false;
};

template <class Handle>
shown_scheduler shown_by_scheduler(test_node& node, const Handle& scheduler) {
  const auto state = state_of(node, scheduler);
  const auto tree = nlohmann::json::parse(state.tree);
  return {state.open, tree.at("claimed"), tree.at("draining")};
}

struct shown_peer {
  std::string node;
  bool connected = false;
  std::string trouble;
};

template <class Handle>
std::vector<shown_peer> peers_shown_by(test_node& node, const Handle& membership) {
  std::vector<shown_peer> peers;
  const auto tree = shown_by(node, membership);
  for (const auto& p : tree.at("peers"))
    peers.push_back({p.at("node"), p.at("connected"), p.at("trouble")});
  return peers;
}

} // namespace steadfast::tests
