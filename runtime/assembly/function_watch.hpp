#pragma once

#include "actors/protocol/protocols.hpp"
#include "runtime/assembly/spare_threads.hpp"

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

namespace steadfast {

/// Looks at the agents that run users' functions on the threads of the actors. When one of these waits, the spare
/// threads run: one for each agent, since each may hold one. So store, leases and control channel go on whatever the
/// functions do, and the log says whose they are. The agents are looked at from outside, since one that is held up does
/// not answer.
class function_watch {
public:
  using say = std::function<void(const std::string& line)>;
  static constexpr std::chrono::milliseconds period{20};
  static constexpr std::chrono::milliseconds waits_after{20}; ///< far beyond what any work of microseconds takes
  static constexpr std::chrono::milliseconds told_after{1000};

  /// The agents must outlive it. The pool of the system has a thread more than it is to run for each of them.
  function_watch(caf::actor_system& sys, std::map<std::string, actors::agent_actor> agents, say log);

  /// The actors shall end: all threads run from now on. It still says which functions that is waiting for.
  void let_end();

private:
  void look();
  void tell(const std::string& name, std::chrono::milliseconds busy);

  caf::actor_system& sys_;
  std::map<std::string, actors::agent_actor> agents_;
  say log_;
  std::map<std::string, std::chrono::milliseconds> told_; ///< for how long it had waited when it was last said
  std::mutex mutex_;
  std::optional<spare_threads> spare_; ///< until the actors end
  std::jthread thread_;
};

} // namespace steadfast
