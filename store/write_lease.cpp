// Leases. One that ended long ago may be forgotten, its epoch not: epochs only grow.

#include "store/write_batch.hpp"

#include "workflow/supervision/node_card.hpp"

#include <algorithm>

namespace steadfast::store {

namespace {

constexpr std::size_t lease_name_max = 255;
constexpr std::size_t lease_note_max = 4096;
constexpr const char* note_too_long = "note must have at most 4096 bytes";
constexpr std::size_t ended_leases_max = 256; ///< kept for people to look at

bool is_released(const lease_record& x) {
  return x.what.expires_at == workflow::unset;
}

/// One that ends later than its ttl allows was written before the clock was set back: it must not last for years.
bool is_free(const lease_record& x, workflow::instant now) {
  return is_released(x) || x.what.expires_at <= now || x.what.expires_at > now + 2 * x.ttl;
}

std::string problem(workflow::span ttl) {
  if (ttl <= workflow::span::zero() || ttl > workflow::span_max)
    return "ttl must be above zero and at most ten years";
  return {};
}

std::string problem(const acquire_lease& w) {
  if (w.name.empty() || w.name.size() > lease_name_max)
    return "name must have 1 to 255 bytes";
  if (w.holder.empty() || w.holder.size() > lease_name_max)
    return "holder must have 1 to 255 bytes";
  if (w.note.size() > lease_note_max)
    return note_too_long;
  return problem(w.ttl);
}

void put(lmdb::transaction& txn, const tables& in, const lease_record& x) {
  txn.put(in.leases, x.what.name, encode_record(x.what.name, x));
}

template <class Write>
answer<Write> with_epoch(std::uint64_t epoch) {
  return {applied(), {epoch}};
}

bool is_held_by(const lease_record& x, const std::string& holder, std::uint64_t epoch) {
  return !is_released(x) && x.what.holder == holder && x.what.epoch == epoch;
}

decision lost(const lease_record& x) {
  return turned_down(verdict::stale_epoch, "the lease " + x.what.name + " is at epoch " + std::to_string(x.what.epoch)
                                             + ", last held by " + x.what.holder);
}

decision no_such_lease(const std::string& name) {
  return turned_down(verdict::absent, "there is no lease " + name);
}

} // namespace

lease_record write_batch::lease_to_acquire(const acquire_lease& w) {
  try {
    if (auto there = see_.lease_of(w.name))
      return *std::move(there);
    forget_leases(w.now);
    return {{w.name, {}, {}, forgotten_epoch(), workflow::unset}, {}};
  } catch (const damaged_record& e) {
    const workflow::alert told{
      "set_aside", "the record of the lease " + w.name + " was damaged and is replaced: " + e.what(), {}, w.now};
    put_alert(0, {}, told, workflow::signature_of(told, nullptr, nullptr));
    return {{w.name, {}, {}, count_.last_epoch, workflow::unset}, {}}; // no epoch of it was higher
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

/// Nodes come under passing names. Those that ended first go first; one under which tasks are locked stays, for by it
/// they are freed.
void write_batch::forget_leases(workflow::instant now) {
  if (txn_.entries(in_.leases) <= ended_leases_max)
    return;
  place_tasks();
  std::vector<lease_record> ended;
  {
    lmdb::cursor c{txn_, in_.leases};
    for (bool more = c.first(); more; more = c.next())
      if (auto x = readable<lease_record>(c.key(), c.value()); x && is_free(*x, now))
        ended.push_back(*std::move(x));
  }
  std::stable_sort(ended.begin(), ended.end(),
                   [](const auto& a, const auto& b) { return a.what.expires_at < b.what.expires_at; });
  auto too_many = ended.size() - std::min(ended.size(), ended_leases_max);
  lease_record highest{{{}, {}, {}, forgotten_epoch(), workflow::unset}, {}};
  for (const auto& x : ended) {
    if (too_many == 0)
      break;
    if (has_locks(x.what.name))
      continue;
    if (x.what.epoch >= highest.what.epoch)
      highest = x;
    txn_.erase(in_.leases, x.what.name);
    --too_many;
  }
  txn_.put(in_.meta, forgotten_lease_key, encode_record(forgotten_lease_key, highest));
}

bool write_batch::has_locks(const std::string& lease) const {
  const auto node = workflow::node_of_lease(lease);
  if (!node)
    return false;
  const auto of_node = owner_key(*node);
  lmdb::cursor c{txn_, in_.locked};
  return c.seek(of_node) && c.key().starts_with(of_node.view());
}

answer<acquire_lease> write_batch::make(const acquire_lease& w) {
  if (const auto wrong = problem(w); !wrong.empty())
    return turned_down(verdict::refused, wrong);
  lease_record next = lease_to_acquire(w);
  if (!is_free(next, w.now) && next.what.holder != w.holder)
    return turned_down(verdict::refused, "the lease is held by " + next.what.holder);
  next.what.holder = w.holder;
  next.what.note = w.note;
  next.what.expires_at = w.now + w.ttl;
  next.ttl = w.ttl;
  ++next.what.epoch;
  count_.last_epoch = std::max(count_.last_epoch, next.what.epoch);
  put(txn_, in_, next);
  return with_epoch<acquire_lease>(next.what.epoch);
}

answer<renew_lease> write_batch::make(const renew_lease& w) {
  auto held = see_.lease_of(w.name);
  if (!held)
    return no_such_lease(w.name);
  if (!is_held_by(*held, w.holder, w.epoch))
    return lost(*held);
  if (const auto wrong = problem(w.ttl); !wrong.empty())
    return turned_down(verdict::refused, wrong);
  if (w.note.size() > lease_note_max)
    return turned_down(verdict::refused, note_too_long);
  if (!w.note.empty())
    held->what.note = w.note;
  held->what.expires_at = w.now + w.ttl;
  held->ttl = w.ttl;
  put(txn_, in_, *held);
  return with_epoch<renew_lease>(held->what.epoch);
}

answer<release_lease> write_batch::make(const release_lease& w) {
  auto held = see_.lease_of(w.name);
  if (!held)
    return no_such_lease(w.name);
  if (!is_held_by(*held, w.holder, w.epoch))
    return lost(*held);
  held->what.expires_at = workflow::unset;
  put(txn_, in_, *held);
  return with_epoch<release_lease>(held->what.epoch);
}

bool write_batch::has_ended(const lease_guard& gone, workflow::instant now) const {
  const auto found = see_.lease_of(gone.name);
  return found && found->what.epoch == gone.epoch && is_free(*found, now);
}

/// One that ended and was not taken by another comes to life again when its holder renews it; until then what it guards
/// rests, for others may be cleaning up after the holder.
std::optional<decision> write_batch::not_held(const std::optional<lease_guard>& guard, workflow::instant now) const {
  if (!guard)
    return std::nullopt;
  const auto epoch = std::to_string(guard->epoch);
  const auto held = see_.lease_of(guard->name);
  if (!held || held->what.epoch != guard->epoch || is_released(*held))
    return turned_down(verdict::stale_epoch, "the lease " + guard->name + " is not held with epoch " + epoch);
  if (now != workflow::unset && is_free(*held, now))
    return turned_down(verdict::stale_epoch, "the lease " + guard->name + ", epoch " + epoch + ", has ended");
  return std::nullopt;
}

} // namespace steadfast::store
