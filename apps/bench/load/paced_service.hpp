#pragma once

#include "actors/agents/agent_function.hpp"

#include <nlohmann/json.hpp>

#include <cstdint>

namespace steadfast::bench {

/// How long calls of a service take, in milliseconds: always, and for a while after its first call.
struct pace {
  std::uint32_t call_ms = 20;
  std::uint32_t slow_call_ms = 20;
  double slow_from = 0; ///< seconds after the first call
  double slow_for = 0;  ///< seconds
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(pace, call_ms, slow_call_ms, slow_from, slow_for)

/// An agent whose calls succeed after that time, any number of them at once.
actors::agent_function paced_agent(const pace& p);

} // namespace steadfast::bench
