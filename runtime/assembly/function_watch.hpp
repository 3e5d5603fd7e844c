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

/// Watches the agents that run users' functions on the threads of the actors. When one of these waits, the spare
/// threads run: one for each agent, since each may block one. So store, leases and control channel continue whatever
/// the functions do, and the log names the agents. They are watched from outside, since a blocked agent does not
/// answer.
class function_watch {
public:
  using say = std::function<void(const std::string& line)>;
  static constexpr std::chrono::milliseconds period{20};
  static constexpr std::chrono::milliseconds waits_after{20}; ///< far beyond what any work of microseconds takes
  static constexpr std::chrono::milliseconds told_after{1000};

  /// The agents must outlive it. For each of them the pool of the system has one thread more than it should run.
  function_watch(caf::actor_system& sys, std::map<std::string, actors::agent_actor> agents, say log);

  /// The actors are about to end: all threads run from now on. It still says which functions delay that.
  void let_end();

private:
  void look();
  void tell(const std::string& name, std::chrono::milliseconds busy);

  caf::actor_system& sys_;
  std::map<std::string, actors::agent_actor> agents_;
  say log_;
  std::map<std::string, std::chrono::milliseconds> told_; ///< how long it had waited when that was last logged
  std::mutex mutex_;
  std::optional<spare_threads> spare_; ///< until the actors end
  std::jthread thread_;
};

} // namespace steadfast
