#pragma once

#include "store/contract/state_store.hpp"

#include <cstdint>
#include <vector>

// What is written to a store of several partitions: which of them are asked for it, and what their answers say
// together.

namespace steadfast::store {

/// A write as one partition is asked for it.
struct write_part {
  std::uint32_t partition;
  write what;
};

/// What has to be read before it is known which partitions a write is for.
enum class read_first : std::uint8_t { nothing, incidents, bulk_acts, leases };
read_first needed_for(const write& w);

/// The answer.
struct found_first {
  std::vector<incident> incidents{};           ///< those told as one with the one that it is about (incidents_with)
  std::vector<workflow::bulk_act> bulk_acts{}; ///< likewise (bulk_acts_with)
  std::vector<std::vector<lease>> leases{};    ///< of each partition
};

/// At least one, and no two of one partition unless the write is about two of its bulk acts or incidents.
std::vector<write_part> parts_of(const write& w, std::uint32_t partitions, const found_first& found = {});
/// Else its partition is only asked whether it knows better.
bool acts(const write_part& p);
/// What is said of the whole, given what is said of each part. One that was not applied decides, though others were.
/// REQUIRES: there are as many of both, and at least one.
outcome joined(std::vector<write_part> parts, std::vector<outcome> of_parts);

} // namespace steadfast::store
