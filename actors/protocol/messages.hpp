#pragma once

#include "actors/protocol/agent_messages.hpp"
#include "actors/protocol/client_messages.hpp"
#include "actors/protocol/inspection_messages.hpp"
#include "actors/protocol/node_messages.hpp"
#include "actors/protocol/speak.hpp"
#include "actors/protocol/store_messages.hpp"

#include <cstdint>
#include <tuple>

namespace steadfast::actors {

/// A handler of a message that has its elements in `all`: it passes each of them to `f`. `Message` is const for a
/// handler that only reads.
template <class Message, class F>
auto one_by_one(F f) {
  return [f](Message& m) {
    for (auto& x : m.all)
      f(x);
  };
}

// ---- messages of an actor to itself ----

/// The next of its deadlines has come; a stale tick has another `generation`.
struct tick_timer {
  std::uint64_t generation = 0;
};
STEADFAST_MESSAGE(tick_timer, x.generation)

/// Make the commit that was put off until the mailbox had been read.
struct flush {};
STEADFAST_MESSAGE(flush)

/// Save what was committed. Sent to itself, after a while, or by a read that waits for it.
struct save_commits {
  bool is_due = false;
};
STEADFAST_MESSAGE(save_commits, x.is_due)

} // namespace steadfast::actors
