#pragma once

#include "actors/common/clock.hpp"
#include "actors/protocol/protocols.hpp"
#include "actors/storing/write_pauses.hpp"
#include "store/contract/local_store.hpp"

#include <cstdint>
#include <memory>

namespace caf {
class actor_system;
}

namespace steadfast::actors {

/// Bound on one answer, whoever asks: so much is read in some milliseconds, and the next question waits no longer.
inline constexpr std::uint32_t rows_max = 10'000;

struct reader_deps {
  std::shared_ptr<store::state_store> store;
  std::shared_ptr<store::store_files> files; ///< null: the store has no files on this machine
  actors::store_actor store_actor;           ///< told of damaged records
  node_clock clock;
  bool is_only_read = false; ///< nobody gives leases by this clock: they are shown as they were given
  std::shared_ptr<const write_pauses> pauses{}; ///< null: there are none
};
reader_actor spawn_reader(caf::actor_system& sys, reader_deps deps, bool detached = true);

} // namespace steadfast::actors
