#pragma once

#include "store/lmdb/schema.hpp"
#include "store/outline/index_position.hpp"
#include "store/verbs/tasks/group_places.hpp"
#include "store/verbs/tasks/waiting_line.hpp"

#include <optional>
#include <set>
#include <string_view>
#include <vector>

namespace steadfast::store {

/// Tables `ready` and `delayed`.
class ready_tasks : public waiting_tasks {
public:
  /// REQUIRES: transaction and tables outlive it.
  ready_tasks(const lmdb::transaction& txn, const tables& in) : txn_{txn}, in_{in} {}

  std::uint64_t count() const override { return txn_.entries(in_.ready); }
  workflow::instant next_due() const override;
  std::optional<waiting_place> first(const waiting_place& from) const override;
  std::vector<std::uint64_t> numbers(const waiting_place& from, std::size_t max) const override;

private:
  const lmdb::transaction& txn_;
  const tables& in_;
};

// Tables `limit_waits` and `limit_places`: tasks that have not begun, by their group. They are in table `ready` while
// they have a place.

/// The task of that position waits in its group from now on, or does not any more.
void add_to_group(lmdb::transaction& txn, const tables& in, std::uint64_t number, const index_position& p);
void remove_from_group(lmdb::transaction& txn, const tables& in, std::uint64_t number, const index_position& p);
/// `delayed`: what follows the moment in its key. The group that it waits in from now on; nothing: it waits in none,
/// and nothing was done.
std::optional<std::uint64_t> let_wait_in_group(lmdb::transaction& txn, const tables& in, std::string_view delayed);
/// Gives the places of the group to those that are to have them. To be called when a task of it has come or gone. Reads
/// as many entries as the group has places.
void give_places(lmdb::transaction& txn, const tables& in, std::uint64_t group);
/// The task has begun, and counts until it leaves.
void take_place(lmdb::transaction& txn, const tables& in, std::uint64_t number, const limit_group& group);
/// It has ended, or is there no more. It may keep its place for a time.
void leave_place(lmdb::transaction& txn, const tables& in, std::uint64_t number, const index_position& from,
                 const index_position& to);
/// Takes the places from those that have kept them until now. `into`: their groups, to which places are to be given.
void end_holds(lmdb::transaction& txn, const tables& in, workflow::instant now, std::size_t max,
               std::set<std::uint64_t>& into);
/// When the first place that an ended task of the group keeps is free. Unset: none is among the first `max` of all.
workflow::instant first_hold_of(const lmdb::transaction& txn, const tables& in, std::uint64_t group, std::size_t max);
group_places places_of_group(const lmdb::transaction& txn, const tables& in, std::uint64_t group);
/// Of a task that cannot be read.
void purge_from_groups(lmdb::transaction& txn, const tables& in, std::uint64_t number);

} // namespace steadfast::store
