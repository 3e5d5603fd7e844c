// Reads and puts leases, as decide_lease.hpp says.

#include "store/engine/write_batch.hpp"
#include "store/lmdb/prefix_scan.hpp"
#include "store/verbs/decide_lease.hpp"

#include "workflow/supervision/node_card.hpp"

#include <algorithm>

namespace steadfast::store {

lease_record write_batch::lease_to_acquire(const acquire_lease& w) {
  try {
    if (auto there = see_.lease_of(w.name))
      return *std::move(there);
    forget_leases(w.now);
    return nobodys(w.name, forgotten_epoch());
  } catch (const damaged_record& e) {
    put(alert_of_damaged_lease(w, e.what()));
    return nobodys(w.name, count_.last_epoch); // no epoch of it was higher
  }
}

/// The highest of any lease that was forgotten: what is acquired under a name that is not known may be one of them.
std::uint64_t write_batch::forgotten_epoch() const {
  const auto bytes = txn_.get(in_.meta, forgotten_lease_key);
  if (!bytes)
    return 0;
  const auto highest = readable<lease_record>(forgotten_lease_key, *bytes);
  return highest ? highest->what.epoch : count_.last_epoch;
}

void write_batch::forget_leases(const workflow::clock_reading& clock) {
  if (txn_.entries(in_.leases) <= ended_leases_max)
    return;
  place_tasks();
  std::vector<lease_record> all;
  {
    lmdb::cursor c{txn_, in_.leases};
    for (bool more = c.first(); more; more = c.next())
      if (auto x = readable<lease_record>(c.key(), c.value()))
        all.push_back(*std::move(x));
  }
  const auto gone = leases_to_forget(std::move(all), nobodys({}, forgotten_epoch()), clock,
                                     [this](const std::string& name) { return has_locks(name); });
  for (const auto& name : gone.names)
    txn_.erase(in_.leases, name);
  txn_.put(in_.meta, forgotten_lease_key, encode_record(forgotten_lease_key, gone.highest));
}

const needs_of_workflows& write_batch::needs() const {
  if (!before_.needs.are_known())
    before_.needs.read_all(txn_, in_);
  return before_.needs;
}

workflow::knowledge write_batch::needed_of_nodes() const {
  return store::needed_of_nodes(needs().of_nodes(), txn_.entries(in_.schedules) > 0);
}

bool write_batch::has_locks(const std::string& lease) const {
  const auto node = workflow::node_of_lease(lease);
  if (!node)
    return false;
  return has_any_with(txn_, in_.locked, owner_key(*node));
}

template <class Write>
answer<Write> write_batch::carry_out(decided<Write, lease_record> d) {
  if (d.put) {
    count_.last_epoch = std::max(count_.last_epoch, d.put->what.epoch);
    txn_.put(in_.leases, d.put->what.name, encode_record(d.put->what.name, *d.put));
  }
  return std::move(d.said);
}

answer<acquire_lease> write_batch::make(const acquire_lease& w) {
  if (auto wrong = problem_of(w))
    return *std::move(wrong);
  const bool is_older = workflow::older_node(w.name, w.note, workflow::newest_knowledge).has_value();
  const auto needed = is_older ? needed_of_nodes() : workflow::knowledge::none;
  return carry_out(decide(w, lease_to_acquire(w), needed));
}

answer<renew_lease> write_batch::make(const renew_lease& w) {
  return carry_out(decide(w, see_.lease_of(w.name)));
}

answer<release_lease> write_batch::make(const release_lease& w) {
  return carry_out(decide(w, see_.lease_of(w.name)));
}

std::optional<decision> write_batch::still_held(const std::optional<lease_guard>& gone,
                                                const workflow::clock_reading& clock) const {
  return gone ? store::still_held(*gone, see_.lease_of(gone->name), clock) : std::nullopt;
}

std::optional<decision> write_batch::not_held(const std::optional<lease_guard>& guard,
                                              const workflow::clock_reading& clock) const {
  return guard ? store::not_held(*guard, see_.lease_of(guard->name), clock) : std::nullopt;
}

} // namespace steadfast::store
