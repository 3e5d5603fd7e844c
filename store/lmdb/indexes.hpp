#pragma once

#include "store/lmdb/schema.hpp"
#include "store/outline/index_position.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

/// The tables by which tasks are found, kept by their index positions.
namespace steadfast::store {

/// Where it waits to be claimed. Each touches only the entries in which the two differ.
void move_in_queue(lmdb::transaction& txn, const tables& in, std::uint64_t number, const index_position& from,
                   const index_position& to);

/// All other indexes.
void add_to_lists(lmdb::transaction& txn, const tables& in, std::uint64_t number, const index_position& p);
void move_in_lists(lmdb::transaction& txn, const tables& in, std::uint64_t number, const index_position& from,
                   const index_position& to);

void remove_from_indexes(lmdb::transaction& txn, const tables& in, std::uint64_t number, const index_position& p);

/// What the indexes said of a task that cannot be read.
struct purged_position {
  std::optional<workflow::process_state> state; ///< absent: it was in no list of a state
  std::string ended;                            ///< its workflow, if it was in the list of those that ended well
};
/// Looks such a task up by its number, and for the rest searches the lists in which a task of its state may be: of one
/// that has not ended they have no more entries than there are such tasks, but for those of payloads.
purged_position purge_from_indexes(lmdb::transaction& txn, const tables& in, std::uint64_t number);

/// Claimable tasks whose time has come go from `delayed` to `ready`, at most `max`, the earliest first.
void promote_due(lmdb::transaction& txn, const tables& in, workflow::instant now, std::size_t max);

} // namespace steadfast::store
