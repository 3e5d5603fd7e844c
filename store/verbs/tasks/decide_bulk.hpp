#pragma once

#include "store/verbs/decide.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

// Acts on many tasks.

namespace steadfast::store {

/// What is there when one is to begin.
struct known_bulk_acts {
  std::vector<workflow::bulk_act> all; ///< by number; those whose records are damaged are not among them
  std::uint64_t last_number = 0;       ///< that was given
  std::uint64_t next_number = 0;       ///< to be given
  std::uint64_t last_task = 0;         ///< likewise, to a task
};
struct bulk_limits {
  std::size_t open_max = 0;
  workflow::span keep_for{}; ///< one that is over
};
struct begun_bulk : decided<start_bulk, workflow::bulk_act> {
  std::vector<std::uint64_t> leave; ///< numbers of those that leave, with their refusals
};
begun_bulk decide(const start_bulk& w, const known_bulk_acts& known, const bulk_limits& limits);

struct advanced_bulk : decided<advance_bulk, workflow::bulk_act> {
  std::vector<workflow::bulk_refusal> refusals; ///< to be kept
};
/// `there`: absent: there is none of that number. `refusals_kept`: of it, so far.
advanced_bulk decide(const advance_bulk& w, std::optional<workflow::bulk_act> there, std::size_t refusals_kept);

decided<stop_bulk, workflow::bulk_act> decide(const stop_bulk& w, std::optional<workflow::bulk_act> there);

/// Why a task does not take the act of that number; absent: it takes it. `there`: null: there is none of that number.
std::optional<decision> not_for_bulk(std::uint64_t number, const workflow::bulk_act* there, std::uint64_t task);

} // namespace steadfast::store
