#pragma once

#include "actors/common/clock.hpp"
#include "actors/protocol/protocols.hpp"
#include "workflow/time/time.hpp"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace caf {
class actor_system;
}

namespace steadfast::actors {

/// An actor of a node that people may inspect.
struct named_actor {
  std::string kind;
  std::string name; ///< empty: the node has one of the kind
  inspectable_actor actor;
};

/// The store, on a node that has all or part of it.
struct offered_store {
  actors::store_actor store_actor; ///< of the whole store, or where its writes take turns; none: another node has that
  reader_actor reader;
  std::vector<named_actor> actors;       ///< all actors that come with the store
  std::vector<store_share> partitions{}; ///< all partitions, if it has several
  std::map<std::string, webhook_actor> webhooks{};
};

struct front_deps {
  node_offer offer;
  node_clock clock;
  std::vector<named_actor> actors{};
  std::vector<scheduler_actor> schedulers{};              ///< empty: the node does not have the role
  std::vector<lease_actor> leases{};                      ///< given up when the node is drained
  workflow::span inspection_limit{1000};                  ///< for an actor to describe its state
  std::function<workflow::instant()> certificate_until{}; ///< when the node's certificate ends; empty: it has none
  std::function<void()> on_drained{};                     ///< called when a person drains the node; may be empty
  std::function<offered_store()> own_store{};             ///< as this node has it now, if it may get one; may be empty
};
whole_front spawn_front(caf::actor_system& sys, front_deps deps);

} // namespace steadfast::actors
