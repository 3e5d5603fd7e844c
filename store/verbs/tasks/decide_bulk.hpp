#pragma once

#include "store/verbs/decide.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

// Acts on many tasks.

namespace steadfast::store {

/// What is stored when a bulk act is to begin.
struct known_bulk_acts {
  std::vector<workflow::bulk_act> all; ///< by number, without those whose records are damaged
  std::uint64_t last_number = 0;       ///< the last number that was given to an act
  std::uint64_t next_number = 0;       ///< the next number to be given
  std::uint64_t last_task = 0;         ///< the last number that was given to a task
};
struct bulk_limits {
  std::size_t open_max = 0;
  workflow::span keep_for{}; ///< for how long an act is kept that is over
};
struct begun_bulk : decided<start_bulk, workflow::bulk_act> {
  std::vector<std::uint64_t> leave; ///< numbers of the acts that are removed, with their refusals
};
begun_bulk decide(const start_bulk& w, const known_bulk_acts& known, const bulk_limits& limits);

struct advanced_bulk : decided<advance_bulk, workflow::bulk_act> {
  std::vector<workflow::bulk_refusal> refusals; ///< to be kept
};
/// `there`: absent: there is no act with that number. `refusals_kept`: how many of its refusals are kept so far.
advanced_bulk decide(const advance_bulk& w, std::optional<workflow::bulk_act> there, std::size_t refusals_kept);

decided<stop_bulk, workflow::bulk_act> decide(const stop_bulk& w, std::optional<workflow::bulk_act> there);

/// Why the act with that number may not change the task; absent: it may. `there`: null: there is no such act.
std::optional<decision> not_for_bulk(std::uint64_t number, const workflow::bulk_act* there, std::uint64_t task);

} // namespace steadfast::store
