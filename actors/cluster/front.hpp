#pragma once

#include "actors/common/clock.hpp"
#include "actors/protocol/protocols.hpp"
#include "workflow/time/time.hpp"

#include <functional>
#include <string>
#include <vector>

namespace caf {
class actor_system;
}

namespace steadfast::actors {

/// An actor of a node that people may look at.
struct named_actor {
  std::string kind;
  std::string name; ///< empty: the node has one of the kind
  inspectable_actor actor;
};

/// The store, on a node that has it or a part of it.
struct offered_store {
  actors::store_actor store_actor; ///< of the whole, or where its writes take turns; none: another node has that
  reader_actor reader;
  std::vector<named_actor> actors;       ///< all that come with it
  std::vector<store_share> partitions{}; ///< all, if it has several
};

struct front_deps {
  node_offer offer;
  node_clock clock;
  std::vector<named_actor> actors{};
  std::vector<scheduler_actor> schedulers{};              ///< none: the node has not the role
  std::vector<lease_actor> leases{};                      ///< given up when the node is drained
  workflow::span inspection_limit{1000};                  ///< for an actor to describe its state
  std::function<workflow::instant()> certificate_until{}; ///< when the node's certificate ends; empty: it has none
  std::function<void()> on_drained{};                     ///< a person wants the node drained; may be empty
  std::function<offered_store()> own_store{};             ///< as it is now, if the node may get one; may be empty
};
partitioned_front spawn_front(caf::actor_system& sys, front_deps deps);

} // namespace steadfast::actors
