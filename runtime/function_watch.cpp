#include "runtime/function_watch.hpp"

#include "actors/call_threads.hpp"
#include "actors/observed.hpp"
#include "actors/type_ids.hpp"
#include "runtime/quantity.hpp"

#include <caf/actor_system.hpp>

#include <condition_variable>
#include <mutex>
#include <utility>

namespace steadfast {

function_watch::function_watch(caf::actor_system& sys, std::map<std::string, actors::agent_actor> agents, say log)
    : sys_{sys},
      agents_{std::move(agents)},
      log_{std::move(log)},
      thread_{[this](const std::stop_token& stop) {
        actors::block_signals();
        std::mutex mutex;
        std::condition_variable_any ends;
        std::unique_lock lock{mutex};
        while (!ends.wait_for(lock, stop, period, [&] { return stop.stop_requested(); }))
          look();
      }} {}

/// Once after a second, and each time that it has become twice as long.
void function_watch::look() {
  for (const auto& [name, agent] : agents_) {
    const auto* meter = dynamic_cast<const actors::mailbox_meter*>(caf::actor_cast<caf::abstract_actor*>(agent));
    const auto busy = meter ? meter->look(sys_).busy_for : std::chrono::milliseconds{0};
    auto& told = told_[name];
    if (busy < waits_after) {
      told = {};
    } else if (busy >= 2 * told) {
      told = busy;
      log_("agent `" + name + "`: its function has kept the agent for " + runtime::span_text(busy)
           + "; one that waits must be a blocking_function");
    }
  }
}

} // namespace steadfast
