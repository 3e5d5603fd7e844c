#pragma once

#include "actors/protocols.hpp"

#include <chrono>
#include <functional>
#include <map>
#include <string>
#include <thread>

namespace steadfast {

/// Looks at the agents that run users' functions on their own turn, and says which of them are held up by one that waits. The
/// agents are looked at from outside, since one that is held up does not answer.
class function_watch {
public:
  using say = std::function<void(const std::string& line)>;
  static constexpr std::chrono::milliseconds period{250};
  static constexpr std::chrono::milliseconds waits_after{1000}; ///< far beyond what any work of microseconds takes

  /// The agents must outlive it.
  function_watch(caf::actor_system& sys, std::map<std::string, actors::agent_actor> agents, say log);

private:
  void look();

  caf::actor_system& sys_;
  std::map<std::string, actors::agent_actor> agents_;
  say log_;
  std::map<std::string, std::chrono::milliseconds> told_; ///< for how long it had waited when it was last said
  std::jthread thread_;
};

} // namespace steadfast
