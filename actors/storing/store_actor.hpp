#pragma once

#include "actors/common/clock.hpp"
#include "actors/protocol/protocols.hpp"
#include "actors/storing/write_pauses.hpp"
#include "store/contract/local_store.hpp"
#include "workflow/time/time.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace caf {
class actor_system;
}

namespace steadfast::actors {

struct store_actor_deps {
  std::shared_ptr<store::state_store> store;
  std::shared_ptr<store::store_files> files; ///< null: the store has no files on this machine
  node_clock clock;
  std::size_t batch_max = 4096;  ///< writes in one commit
  std::uint64_t backlog_max = 0; ///< when this many writes wait, submissions are refused for now; 0: no limit
  /// The store must not be used any more: log that and end the process. Called at most once.
  std::function<void(const std::string& why)> on_fatal;
  std::function<void(std::uint64_t number)> on_end{};  ///< called after the commit that ended a task. Must not block
  std::function<void(const std::string& line)> warn{}; ///< called when the store takes no writes, and when it does
  workflow::span save_after{200}; ///< for how long the engine may put off work that several commits can share
  std::shared_ptr<write_pauses> pauses = std::make_shared<write_pauses>(); ///< for the reader beside it
  store_actor next{}; ///< gets what comes after this actor was drained; none: it is never drained
};
own_store_actor spawn_store_actor(caf::actor_system& sys, store_actor_deps deps, bool detached = true);

} // namespace steadfast::actors
