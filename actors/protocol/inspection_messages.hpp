#pragma once

#include "actors/protocol/speak.hpp"
#include "workflow/time/time.hpp"

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

// To inspect and control a node's own actors.

namespace steadfast::actors {

/// Asks an actor what it is working on, as a tree.
struct inspect_state {
  std::uint32_t listed_max = 20; ///< entries of each list
};
STEADFAST_MESSAGE(inspect_state, x.listed_max)

struct actor_state {
  std::string summary;    ///< a few words
  std::uint64_t open = 0; ///< tasks or calls in flight
  std::string tree;       ///< a JSON object; a list that was cut ends with the number of entries left out
};
STEADFAST_MESSAGE(actor_state, x.summary, x.open, x.tree)

/// What passes through an actor's mailbox.
struct mailbox_view {
  std::uint64_t waiting = 0; ///< messages not handled yet
  std::uint64_t handled = 0; ///< since the actor began
  double per_second = 0;     ///< handled, over the last seconds
  std::string last_message;  ///< type of the message being handled, or else of the last one
  std::uint64_t last_took_us = 0;
  workflow::span busy_for{0}; ///< with the message being handled; 0: it waits for one
};
STEADFAST_MESSAGE(mailbox_view, x.waiting, x.handled, x.per_second, x.last_message, x.last_took_us, x.busy_for)

struct actor_view {
  std::string id; ///< "kind@node" or "kind:name@node"; the same after a restart
  std::string kind;
  std::string node;
  mailbox_view mailbox;
  bool answers = false; ///< false: it did not answer within the limit, and `state` is empty
  actor_state state;
};
STEADFAST_MESSAGE(actor_view, x.id, x.kind, x.node, x.mailbox, x.answers, x.state)

/// Asks a node for its actors, with a summary of the state of each.
struct list_actors {
  std::string kind; ///< empty: all
};
STEADFAST_MESSAGE(list_actors, x.kind)

struct actor_page {
  std::vector<actor_view> actors;
};
STEADFAST_MESSAGE(actor_page, x.actors)

/// Asks a node for one of its actors.
struct find_actor {
  std::string id;
  std::uint32_t listed_max = 20;
};
STEADFAST_MESSAGE(find_actor, x.id, x.listed_max)

/// Stop taking work, finish what is in flight if the limit allows, give the rest back, then answer.
struct drain {
  workflow::span limit{0};
};
STEADFAST_MESSAGE(drain, x.limit)

struct drained {
  std::uint64_t finished = 0;
  std::uint64_t given_back = 0;
};
STEADFAST_MESSAGE(drained, x.finished, x.given_back)

/// A person wants a node to do no more work until it is restarted: its scheduler and its agents are drained, and other
/// nodes take over the work for which it holds leases.
struct drain_node {
  workflow::span limit{0};
};
STEADFAST_MESSAGE(drain_node, x.limit)

} // namespace steadfast::actors
