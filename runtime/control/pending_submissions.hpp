#pragma once

#include "actors/protocol/protocols.hpp"
#include "workflow/time/time.hpp"

#include <caf/actor.hpp>

#include <functional>
#include <memory>

namespace caf {
class actor_system;
}

namespace steadfast {

/// Submissions on their way to the gateway. One actor sends them all: with an actor and a request for each, CAF would
/// start a timer for each, too, and wake the thread of its clock. For any thread.
class pending_submissions {
public:
  pending_submissions(caf::actor_system& sys, actors::gateway_actor gateway, workflow::span limit);
  ~pending_submissions(); ///< those that are not answered yet are told that nobody answered
  pending_submissions(const pending_submissions&) = delete;
  pending_submissions& operator=(const pending_submissions&) = delete;

  /// Null: no answer came within the limit, or the gateway is gone.
  using answered = std::function<void(const actors::receipt*)>;
  /// Those of one thread arrive in their order. `done` is called once, by an actor.
  void submit(actors::boxed<workflow::submission> what, answered done);

private:
  class sender;
  struct inbox;
  std::shared_ptr<inbox> inbox_;
  caf::actor sender_;
};

} // namespace steadfast
