#include "runtime/function_watch.hpp"

#include "actors/call_threads.hpp"
#include "actors/observed.hpp"
#include "runtime/quantity.hpp"
#include "workflow/mutant.hpp"

#include <caf/actor_system.hpp>

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <utility>

namespace steadfast {

function_watch::function_watch(caf::actor_system& sys, std::map<std::string, actors::agent_actor> agents, say log)
    : sys_{sys},
      agents_{std::move(agents)},
      log_{std::move(log)},
      spare_{sys, agents_.size()},
      thread_{[this](const std::stop_token& stop) {
        actors::block_signals();
        std::mutex mutex;
        std::condition_variable_any ends;
        std::unique_lock lock{mutex};
        while (!ends.wait_for(lock, stop, period, [&] { return stop.stop_requested(); }))
          look();
      }} {}

/// One whose last function took long counts too: the next one is likely to.
void function_watch::look() {
  std::size_t held = 0;
  for (const auto& [name, agent] : agents_) {
    const auto* meter = dynamic_cast<const actors::mailbox_meter*>(caf::actor_cast<caf::abstract_actor*>(agent));
    if (!meter)
      continue;
    const auto busy = meter->busy_for(sys_.clock().now());
    held += std::max(busy, meter->last_took()) >= waits_after ? 1 : 0;
    tell(name, std::chrono::duration_cast<std::chrono::milliseconds>(busy));
  }
  if (!workflow::mutant("functions_share_threads"))
    spare_.run(held);
}

/// Once after a second, and each time that it has become twice as long.
void function_watch::tell(const std::string& name, std::chrono::milliseconds busy) {
  auto& told = told_[name];
  if (busy < told_after) {
    told = {};
  } else if (busy >= 2 * told) {
    told = busy;
    log_("agent `" + name + "`: its function has kept the agent for " + runtime::span_text(busy)
         + "; one that waits must be a blocking_function");
  }
}

} // namespace steadfast
