#include "store/journal/restored.hpp"

#include "store/journal/migration.hpp"
#include "store/journal/unsaved.hpp"
#include "store/lmdb/incident_book.hpp"
#include "store/records/record.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace steadfast::store {

namespace {

constexpr std::string_view copy_key = "copy";
constexpr std::size_t named_max = 20; ///< tasks that the alert names

template <class T>
using records = std::vector<std::pair<std::string, T>>;

/// Those that check; the others are met, and told of, when they are used.
template <class T>
records<T> all_of(const lmdb::transaction& txn, lmdb::table t) {
  records<T> all;
  lmdb::cursor c{txn, t};
  for (bool more = c.first(); more; more = c.next()) {
    try {
      all.emplace_back(std::string{c.key()}, decode_record<T>(c.key(), c.value()));
    } catch (const damaged_record&) { // left as it is
    }
  }
  return all;
}

std::uint64_t raised(std::uint64_t epoch, std::uint64_t from) {
  return std::max(epoch + epoch_step, from);
}

void free_leases(lmdb::transaction& txn, const tables& in, std::uint64_t epochs_from) {
  for (auto& [k, x] : all_of<lease_record>(txn, in.leases)) {
    x.what.epoch = raised(x.what.epoch, epochs_from);
    x.what.expires_at = workflow::unset;
    txn.put(in.leases, k, encode_record(k, x));
  }
}

/// What may run again of the tasks that had not ended: the names of the first of them, and how many there are.
std::string raise_locks(lmdb::transaction& txn, const tables& in, std::uint64_t epochs_from) {
  std::string named;
  std::size_t count = 0;
  for (const auto state : {workflow::process_state::pending, workflow::process_state::processing,
                           workflow::process_state::undoing, workflow::process_state::suspended}) {
    std::vector<std::uint64_t> numbers;
    {
      const key begin{static_cast<std::uint8_t>(state)};
      lmdb::cursor c{txn, in.states};
      for (bool more = c.seek(begin); more && c.key().starts_with(begin.view()); more = c.next())
        numbers.push_back(last_number(c.key()));
    }
    for (const auto number : numbers) {
      const key k{number};
      const auto bytes = txn.get(in.tasks, k);
      if (!bytes)
        continue;
      try {
        auto s = decode_record<task_state>(k, *bytes);
        s.task.lock_epoch = raised(s.task.lock_epoch, epochs_from);
        txn.put(in.tasks, k,
                encode_record(k, task_state_view{&s.task, s.task.revision + 1, s.payload_size, &s.large, s.rows}));
        if (++count <= named_max)
          named += (named.empty() ? "" : ", ") + s.task.id;
      } catch (const damaged_record&) { // left as it is
      }
    }
  }
  if (count == 0)
    return "no task was unfinished, so nothing runs again";
  return "every step that " + std::to_string(count) + " unfinished task" + (count == 1 ? "" : "s") + " (" + named
         + (count > named_max ? ", ..." : "")
         + ") had not completed when it was made may run again, with the same idempotency key";
}

/// The original may have gone on with them, or a person may have begun them again.
void stop_bulk_acts(lmdb::transaction& txn, const tables& in) {
  for (auto& [k, b] : all_of<workflow::bulk_act>(txn, in.bulk_acts)) {
    workflow::stop(b, "(restored)", "the store was opened from a copy", workflow::unset);
    txn.put(in.bulk_acts, k, encode_record(k, b));
  }
}

/// The original may have gone on with them, and made tasks that the copy does not have.
void pause_schedules(lmdb::transaction& txn, const tables& in) {
  for (auto& [name, s] : all_of<workflow::schedule_state>(txn, in.schedules)) {
    if (s.next_at != workflow::never)
      txn.erase(in.schedule_times, key{s.next_at, std::string_view{name}});
    workflow::pause(s, "(restored)", "the store was opened from a copy", s.settled_until);
    txn.put(in.schedules, name, encode_record(name, s));
  }
}

counters counters_in(const lmdb::transaction& txn, const tables& in) {
  return decode_record<counters>(counters_key, txn.get(in.meta, counters_key).value_or(std::string_view{}));
}

} // namespace

void mark_as_copy(const std::filesystem::path& directory, std::uint64_t map_size) {
  lmdb::environment env{{directory, map_size, false, false}};
  auto txn = lmdb::transaction::writing(env);
  txn.put(txn.make_table("meta"), copy_key, encode_record(copy_key, format_record{store_format}));
  put_used_journal(txn, {});
  txn.commit();
}

void unmark_copy(const std::filesystem::path& directory, std::uint64_t map_size) {
  lmdb::environment env{{directory, map_size, false, true}};
  auto txn = lmdb::transaction::writing(env);
  txn.erase(txn.make_table("meta"), copy_key);
  txn.commit();
}

void leave_alert(lmdb::transaction& txn, const tables& in, const std::string& kind, const std::string& text) {
  auto count = counters_in(txn, in);
  const auto numbers = partition_in(txn);
  count.last_alert = workflow::next_number(numbers, count.last_alert);
  const key k{count.last_alert};
  const workflow::alert alert{kind, text, {}, workflow::unset};
  txn.put(in.alerts, k, encode_record(k, alert_entry{count.last_alert, 0, {}, alert, {}, workflow::unset}));
  txn.put(in.open_alerts, k, {});
  txn.put(in.meta, counters_key, encode_record(counters_key, count));
  incident_book book{txn, in, numbers};
  book.join(count.last_alert, {0, {}, alert, workflow::signature_of(alert, nullptr, nullptr)});
  book.write();
}

void raise_epochs_of_copy(lmdb::transaction& txn, const tables& in, std::uint64_t epochs_from) {
  if (!txn.get(in.meta, copy_key))
    return;
  free_leases(txn, in, epochs_from);
  stop_bulk_acts(txn, in);
  pause_schedules(txn, in);
  const auto may_run_again = raise_locks(txn, in, epochs_from);
  auto count = counters_in(txn, in);
  count.last_epoch = raised(count.last_epoch, epochs_from);
  // Of a lease that the original had and the copy has not, no epoch is higher.
  const lease_record highest{{{}, {}, {}, count.last_epoch, workflow::unset}, {}};
  txn.put(in.meta, forgotten_lease_key, encode_record(forgotten_lease_key, highest));
  txn.put(in.meta, counters_key, encode_record(counters_key, count));
  leave_alert(txn, in, "restored", "the store was opened from a copy: " + may_run_again);
  txn.erase(in.meta, copy_key);
}

} // namespace steadfast::store
