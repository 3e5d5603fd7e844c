#include "store/lmdb/indexes.hpp"

#include "store/lmdb/ready_tasks.hpp"
#include "store/records/record.hpp"

#include <limits>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace steadfast::store {

namespace {

struct place {
  lmdb::transaction& txn;
  const tables& in;
  std::uint64_t number;
};

key state_key(std::uint64_t number, const index_position& p) {
  return key{static_cast<std::uint8_t>(p.state), number};
}

key ready_key_of(const place& x, const index_position& p) {
  return ready_key(p.priority, p.workflow, x.number);
}

key delayed_key_of(const place& x, const index_position& p) {
  return delayed_key(p.not_before, p.priority, p.workflow, x.number);
}

bool is_same_queue(const index_position& a, const index_position& b) {
  return a.is_claimable == b.is_claimable && a.priority == b.priority && a.not_before == b.not_before
         && a.group == b.group;
}

void queue(const place& x, const index_position& p) {
  if (!p.is_claimable)
    return;
  if (p.group.is_waiting)
    add_to_group(x.txn, x.in, x.number, p);
  else if (p.not_before == workflow::unset)
    x.txn.put(x.in.ready, ready_key_of(x, p), {});
  else
    x.txn.put(x.in.delayed, delayed_key_of(x, p), {});
}

// A task with a not_before is in `ready` as soon as promote_due came by.
void unqueue(const place& x, const index_position& p) {
  if (!p.is_claimable)
    return;
  if (p.group.is_waiting)
    return remove_from_group(x.txn, x.in, x.number, p);
  const bool was_delayed = p.not_before != workflow::unset && x.txn.erase(x.in.delayed, delayed_key_of(x, p));
  if (!was_delayed)
    x.txn.erase(x.in.ready, ready_key_of(x, p));
}

void list_as_ended(const place& x, const index_position& p) {
  if (p.ended_at != workflow::unset)
    x.txn.append(x.in.ended, ended_key(p.workflow, p.ended_at, x.number), {});
}

void unlist_as_ended(const place& x, const index_position& p) {
  if (p.ended_at != workflow::unset)
    x.txn.erase(x.in.ended, ended_key(p.workflow, p.ended_at, x.number));
}

constexpr std::uint8_t states_max = std::tuple_size_v<decltype(counters::tasks)>;

/// Those of the table, at most `max`, that end with the number of the task.
std::vector<std::string> purge(const place& x, lmdb::table t, std::size_t max) {
  std::vector<std::string> found;
  {
    lmdb::cursor c{x.txn, t};
    for (bool more = c.first(); more && found.size() < max; more = c.next())
      if (last_number(c.key()) == x.number)
        found.emplace_back(c.key());
  }
  for (const auto& k : found)
    x.txn.erase(t, k);
  return found;
}

std::optional<workflow::process_state> purge_from_states(const place& x) {
  for (std::uint8_t s = 0; s < states_max; ++s)
    if (x.txn.erase(x.in.states, key{s, x.number}))
      return static_cast<workflow::process_state>(s);
  return std::nullopt;
}

} // namespace

void move_in_queue(lmdb::transaction& txn, const tables& in, std::uint64_t number, const index_position& from,
                   const index_position& to) {
  if (is_same_queue(from, to))
    return;
  unqueue({txn, in, number}, from);
  queue({txn, in, number}, to);
  if (from.group.is_under_way && from.group != to.group)
    leave_place(txn, in, number, from, to);
  if (to.group.is_under_way && from.group != to.group)
    take_place(txn, in, number, to.group);
  if (from.group.number != 0)
    give_places(txn, in, from.group.number);
  if (to.group.number != 0 && to.group.number != from.group.number)
    give_places(txn, in, to.group.number);
}

/// The states that tasks stay in come last, but for those of tasks that need a person.
void list_by_state(const place& x, const index_position& p) {
  if (p.ended_at != workflow::unset)
    x.txn.append(x.in.states, state_key(x.number, p), {});
  else
    x.txn.put(x.in.states, state_key(x.number, p), {});
}

void add_to_lists(lmdb::transaction& txn, const tables& in, std::uint64_t number, const index_position& p) {
  list_by_state({txn, in, number}, p);
  if (p.due != workflow::never)
    txn.put(in.deadlines, key{p.due, number}, {});
  if (!p.locked_by.empty())
    txn.put(in.locked, locked_key(p.locked_by, number), {});
  list_as_ended({txn, in, number}, p);
}

void move_in_lists(lmdb::transaction& txn, const tables& in, std::uint64_t number, const index_position& from,
                   const index_position& to) {
  if (from.state != to.state) {
    txn.erase(in.states, state_key(number, from));
    list_by_state({txn, in, number}, to);
  }
  if (from.due != to.due) {
    if (from.due != workflow::never)
      txn.erase(in.deadlines, key{from.due, number});
    if (to.due != workflow::never)
      txn.put(in.deadlines, key{to.due, number}, {});
  }
  if (from.locked_by != to.locked_by) {
    if (!from.locked_by.empty())
      txn.erase(in.locked, locked_key(from.locked_by, number));
    if (!to.locked_by.empty())
      txn.put(in.locked, locked_key(to.locked_by, number), {});
  }
  if (from.ended_at != to.ended_at) {
    unlist_as_ended({txn, in, number}, from);
    list_as_ended({txn, in, number}, to);
  }
}

void remove_from_indexes(lmdb::transaction& txn, const tables& in, std::uint64_t number, const index_position& p) {
  txn.erase(in.states, state_key(number, p));
  if (p.due != workflow::never)
    txn.erase(in.deadlines, key{p.due, number});
  if (!p.locked_by.empty())
    txn.erase(in.locked, locked_key(p.locked_by, number));
  unqueue({txn, in, number}, p);
  unlist_as_ended({txn, in, number}, p);
}

purged_position purge_from_indexes(lmdb::transaction& txn, const tables& in, std::uint64_t number) {
  constexpr auto all = std::numeric_limits<std::size_t>::max();
  const place x{txn, in, number};
  purged_position was{purge_from_states(x), {}};
  const bool has_ended_well = was.state && !workflow::is_unfinished(*was.state);
  if (has_ended_well || !was.state)
    for (const auto& k : purge(x, in.ended, 1))
      was.ended = workflow_of(k);
  if (!has_ended_well)
    for (const auto& t : {in.deadlines, in.ready, in.delayed, in.locked})
      purge(x, t, 1);
  purge(x, in.payload_index, all);
  purge(x, in.event_waits, all);
  purge_from_groups(txn, in, number);
  return was;
}

void promote_due(lmdb::transaction& txn, const tables& in, workflow::instant now, std::size_t max) {
  std::vector<std::string> due;
  {
    lmdb::cursor c{txn, in.delayed};
    for (bool more = c.first(); more && due.size() < max; more = c.next()) {
      if (key_reader{c.key()}.instant() > now)
        break;
      due.emplace_back(c.key());
    }
  }
  std::set<std::uint64_t> groups;
  for (const auto& k : due) {
    txn.erase(in.delayed, k);
    const auto rest = std::string_view{k}.substr(sizeof(std::uint64_t)); // priority and what follows it stay
    if (const auto group = let_wait_in_group(txn, in, rest))
      groups.insert(*group);
    else
      txn.put(in.ready, rest, {});
  }
  end_holds(txn, in, now, max, groups);
  for (const auto group : groups)
    give_places(txn, in, group);
}

} // namespace steadfast::store
