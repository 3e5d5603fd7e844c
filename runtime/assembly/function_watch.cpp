#include "runtime/assembly/function_watch.hpp"

#include "actors/agents/call_threads.hpp"
#include "actors/common/observed.hpp"
#include "runtime/text/quantity.hpp"

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
      spare_{std::in_place, sys, agents_.size()},
      thread_{[this](const std::stop_token& stop) {
        actors::block_signals();
        std::mutex mutex;
        std::condition_variable_any ends;
        std::unique_lock lock{mutex};
        while (!ends.wait_for(lock, stop, period, [&] { return stop.stop_requested(); }))
          look();
      }} {}

/// An agent whose last function took long counts too: the next one is likely to. Many may begin to wait at once, so one
/// that does is reason enough to let all spare threads run.
void function_watch::look() {
  const std::lock_guard lock{mutex_};
  bool is_held = false;
  for (const auto& [name, agent] : agents_) {
    const auto* meter = dynamic_cast<const actors::mailbox_meter*>(caf::actor_cast<caf::abstract_actor*>(agent));
    if (!meter)
      continue;
    const auto busy = meter->busy_for(sys_.clock().now());
    is_held = is_held || std::max(busy, meter->last_took()) >= waits_after;
    tell(name, std::chrono::duration_cast<std::chrono::milliseconds>(busy));
  }
  if (spare_)
    spare_->run(is_held ? agents_.size() : 0);
}

void function_watch::let_end() {
  const std::lock_guard lock{mutex_};
  spare_.reset();
}

/// Once after a second, and each time that the wait has doubled.
void function_watch::tell(const std::string& name, std::chrono::milliseconds busy) {
  auto& told = told_[name];
  if (busy < told_after) {
    told = {};
  } else if (busy >= 2 * told) {
    told = busy;
    log_("agent `" + name + "`: its function has kept the agent for " + runtime::span_text(busy)
         + (spare_ ? "; one that waits must be a blocking_function" : "; the node ends when it returns"));
  }
}

} // namespace steadfast
