#pragma once

#include "runtime/control_server.hpp"
#include "runtime/node.hpp"

#include <caf/actor_system.hpp>
#include <caf/scoped_actor.hpp>
#include <caf/sec.hpp>

#include <nlohmann/json.hpp>

#include <chrono>
#include <optional>
#include <string>
#include <utility>

namespace steadfast {

/// What the methods work with. The actors are asked from the thread that runs the method.
struct control_context {
  static constexpr std::chrono::seconds reply_limit{20};
  static constexpr std::chrono::milliseconds retry_when_away{2000}; ///< for what could not be read

  caf::actor_system& sys;
  const node_parts& parts;

  template <class Answer, class Handle, class Question>
  Answer ask(const Handle& actor, const Question& question) const {
    caf::scoped_actor self{sys};
    std::optional<Answer> answer;
    self->request(actor, reply_limit, question)
      .receive(
        [&](const Answer& a) { answer = a; },
        [](const caf::error& e) {
          if (e == caf::sec::runtime_error && e.context().match_elements<std::string>())
            throw control_error{control_error::busy, e.context().get_as<std::string>(0), retry_when_away};
          throw control_error{control_error::timed_out, "the node is too busy to answer; the outcome is unknown"};
        });
    return std::move(*answer);
  }

  workflow::instant now() const {
    caf::scoped_actor self{sys};
    return parts.clock.now(self.ptr());
  }

  /// For what is done to the store's file. Refuses where there is none.
  store::state_store& store() const {
    if (!parts.store)
      throw control_error{control_error::refused, "this node has no store: ask the node with the role `store`"};
    return *parts.store;
  }
};

/// Methods about this node and the cluster: control_node.cpp
nlohmann::json describe_node(const control_context& c, const nlohmann::json& params);
nlohmann::json list_nodes(const control_context& c, const nlohmann::json& params);
nlohmann::json list_leases(const control_context& c, const nlohmann::json& params);

} // namespace steadfast
