#include "store/lmdb/ready_tasks.hpp"

#include "store/lmdb/prefix_scan.hpp"

#include <algorithm>
#include <string>

namespace steadfast::store {

namespace {

key key_of(const waiting_place& p) {
  return p.group == 0 ? key{p.priority, p.tag, p.number} : key{p.priority, p.tag, p.group, p.number};
}

waiting_place place_of(std::string_view ready_key) {
  key_reader k{ready_key};
  const auto priority = k.number<std::uint8_t>().value_or(0);
  const auto tag = k.number<std::uint32_t>().value_or(0);
  const auto number = k.number<std::uint64_t>().value_or(0);
  if (const auto of_group = k.number<std::uint64_t>())
    return {priority, tag, number, *of_group};
  return {priority, tag, 0, number};
}

limit_member member_of(const index_position& p, std::uint64_t number) {
  return {p.priority, number, workflow_tag(p.workflow), p.group.at_a_time};
}

key waiting_key(std::uint64_t group, const limit_member& m) {
  return key{group, m.priority, m.number, m.tag, m.at_a_time};
}
key place_key(std::uint64_t group, const limit_member& m) {
  return key{group, m.number, m.priority, m.tag, m.at_a_time};
}

limit_member waiting_member(std::string_view waiting) {
  key_reader k{waiting};
  k.number<std::uint64_t>();
  limit_member m;
  m.priority = k.number<std::uint8_t>().value_or(0);
  m.number = k.number<std::uint64_t>().value_or(0);
  m.tag = k.number<std::uint32_t>().value_or(0);
  m.at_a_time = k.number<std::uint32_t>().value_or(0);
  return m;
}

/// Nothing: it is under way.
std::optional<limit_member> admitted_member(std::string_view place) {
  key_reader k{place};
  k.number<std::uint64_t>();
  limit_member m;
  m.number = k.number<std::uint64_t>().value_or(0);
  const auto priority = k.number<std::uint8_t>();
  if (!priority)
    return std::nullopt;
  m.priority = *priority;
  m.tag = k.number<std::uint32_t>().value_or(0);
  m.at_a_time = k.number<std::uint32_t>().value_or(0);
  return m;
}

std::optional<limit_member> first_waiting(const lmdb::transaction& txn, const tables& in, std::uint64_t group) {
  const key of_group{group};
  lmdb::cursor c{txn, in.limit_waits};
  return c.seek(of_group) && c.key().starts_with(of_group.view()) ? std::optional{waiting_member(c.key())}
                                                                  : std::nullopt;
}

/// Those of the table that have the number of the task at that byte.
std::vector<std::string> keys_of(const lmdb::transaction& txn, lmdb::table t, std::size_t at, std::uint64_t number) {
  const key wanted{number};
  std::vector<std::string> keys;
  each_with(txn, t, {}, {}, [&](const lmdb::cursor& c) {
    if (c.key().substr(at, wanted.view().size()) == wanted.view())
      keys.emplace_back(c.key());
    return true;
  });
  return keys;
}

} // namespace

workflow::instant ready_tasks::next_due() const {
  const auto first_of = [this](lmdb::table t) {
    lmdb::cursor c{txn_, t};
    return c.first() ? key_reader{c.key()}.instant().value_or(workflow::never) : workflow::never;
  };
  return std::min(first_of(in_.delayed), first_of(in_.limit_holds));
}

std::optional<waiting_place> ready_tasks::first(const waiting_place& from) const {
  lmdb::cursor c{txn_, in_.ready};
  return c.seek(key_of(from)) ? std::optional{place_of(c.key())} : std::nullopt;
}

std::vector<std::uint64_t> ready_tasks::numbers(const waiting_place& from, std::size_t max) const {
  std::vector<std::uint64_t> found;
  lmdb::cursor c{txn_, in_.ready};
  for (bool more = c.seek(key_of(from)); more && found.size() < max; more = c.next()) {
    const auto p = place_of(c.key());
    if (p.priority != from.priority || p.tag != from.tag || p.group != from.group)
      break;
    found.push_back(p.number);
  }
  return found;
}

// ---- groups ----

void add_to_group(lmdb::transaction& txn, const tables& in, std::uint64_t number, const index_position& p) {
  if (p.not_before != workflow::unset)
    txn.put(in.delayed, delayed_key(p.not_before, p.priority, p.workflow, p.group, number), {});
  else
    txn.put(in.limit_waits, waiting_key(p.group.number, member_of(p, number)), {});
}

void remove_from_group(lmdb::transaction& txn, const tables& in, std::uint64_t number, const index_position& p) {
  if (p.not_before != workflow::unset
      && txn.erase(in.delayed, delayed_key(p.not_before, p.priority, p.workflow, p.group, number)))
    return;
  const auto m = member_of(p, number);
  if (txn.erase(in.limit_places, place_key(p.group.number, m)))
    txn.erase(in.ready, key_of({m.priority, m.tag, p.group.number, number}));
  else
    txn.erase(in.limit_waits, waiting_key(p.group.number, m));
}

std::optional<std::uint64_t> let_wait_in_group(lmdb::transaction& txn, const tables& in, std::string_view delayed) {
  key_reader k{delayed};
  limit_member m;
  m.priority = k.number<std::uint8_t>().value_or(0);
  m.tag = k.number<std::uint32_t>().value_or(0);
  const auto group = k.number<std::uint64_t>();
  const auto at_a_time = k.number<std::uint32_t>();
  const auto number = k.number<std::uint64_t>();
  if (!number)
    return std::nullopt;
  m.number = *number;
  m.at_a_time = *at_a_time;
  txn.put(in.limit_waits, waiting_key(*group, m), {});
  return group;
}

void take_place(lmdb::transaction& txn, const tables& in, std::uint64_t number, const limit_group& group) {
  txn.put(in.limit_places, key{group.number, number}, {});
  if (group.keeps_until != workflow::unset)
    txn.erase(in.limit_holds, key{group.keeps_until, group.number, number});
}

void leave_place(lmdb::transaction& txn, const tables& in, std::uint64_t number, const index_position& from,
                 const index_position& to) {
  const auto& group = from.group;
  if (to.ended_at != workflow::unset && group.keeps_until > to.ended_at)
    txn.put(in.limit_holds, key{group.keeps_until, group.number, number}, {});
  else
    txn.erase(in.limit_places, key{group.number, number});
}

void end_holds(lmdb::transaction& txn, const tables& in, workflow::instant now, std::size_t max,
               std::set<std::uint64_t>& into) {
  std::vector<std::string> over;
  {
    lmdb::cursor c{txn, in.limit_holds};
    for (bool more = c.first(); more && over.size() < max; more = c.next()) {
      if (key_reader{c.key()}.instant() > now)
        break;
      over.emplace_back(c.key());
    }
  }
  for (const auto& k : over) {
    const auto place = std::string_view{k}.substr(sizeof(std::uint64_t));
    txn.erase(in.limit_holds, k);
    txn.erase(in.limit_places, place);
    into.insert(key_reader{place}.number<std::uint64_t>().value_or(0));
  }
}

workflow::instant first_hold_of(const lmdb::transaction& txn, const tables& in, std::uint64_t group, std::size_t max) {
  lmdb::cursor c{txn, in.limit_holds};
  for (bool more = c.first(); more && max > 0; more = c.next(), --max) {
    key_reader k{c.key()};
    const auto until = k.instant();
    if (until && k.number<std::uint64_t>() == group)
      return *until;
  }
  return workflow::unset;
}

group_places places_of_group(const lmdb::transaction& txn, const tables& in, std::uint64_t group) {
  group_places now;
  const key of_group{group};
  each_with(txn, in.limit_places, of_group, of_group, [&](const lmdb::cursor& c) {
    if (const auto m = admitted_member(c.key()))
      now.admitted.push_back(*m);
    else
      ++now.under_way;
    return true;
  });
  return now;
}

void give_places(lmdb::transaction& txn, const tables& in, std::uint64_t group) {
  auto now = places_of_group(txn, in, group);
  while (const auto change = next_place_change(now, first_waiting(txn, in, group))) {
    const auto& m = change->whose;
    const auto ready = key_of({m.priority, m.tag, group, m.number});
    if (change->what == place_change::kind::give) {
      txn.erase(in.limit_waits, waiting_key(group, m));
      txn.put(in.limit_places, place_key(group, m), {});
      txn.put(in.ready, ready, {});
      now.admitted.push_back(m);
    } else {
      txn.erase(in.ready, ready);
      txn.erase(in.limit_places, place_key(group, m));
      txn.put(in.limit_waits, waiting_key(group, m), {});
      std::erase(now.admitted, m);
    }
  }
}

void purge_from_groups(lmdb::transaction& txn, const tables& in, std::uint64_t number) {
  constexpr std::size_t after_group = sizeof(std::uint64_t);
  for (const auto& k : keys_of(txn, in.limit_holds, 2 * after_group, number))
    txn.erase(in.limit_holds, k);
  for (const auto& k : keys_of(txn, in.limit_waits, after_group + 1, number))
    txn.erase(in.limit_waits, k);
  for (const auto& k : keys_of(txn, in.limit_places, after_group, number)) {
    txn.erase(in.limit_places, k);
    give_places(txn, in, key_reader{k}.number<std::uint64_t>().value_or(0));
  }
}

} // namespace steadfast::store
