#pragma once

#include "store/lmdb/schema.hpp"
#include "store/outline/index_position.hpp"

#include <cstddef>
#include <cstdint>

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

/// For a task that cannot be read: looks for its number in every index.
void purge_from_indexes(lmdb::transaction& txn, const tables& in, std::uint64_t number);

/// Claimable tasks whose time has come go from `delayed` to `ready`, at most `max`, the earliest first.
void promote_due(lmdb::transaction& txn, const tables& in, workflow::instant now, std::size_t max);

} // namespace steadfast::store
