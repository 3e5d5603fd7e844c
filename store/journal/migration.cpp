#include "store/journal/migration.hpp"

#include "store/journal/unsaved.hpp"
#include "store/lmdb/incident_book.hpp"
#include "store/lmdb/schema.hpp"
#include "store/lmdb/snapshot.hpp"
#include "store/records/record.hpp"

#include <algorithm>
#include <string>
#include <string_view>

namespace steadfast::store {

namespace {

/// Records that are looked at before what they give is written: a table is not read and written at once, and memory is
/// bounded.
constexpr std::size_t records_in_a_part = 10'000;

/// Calls f(record) for each record that checks, in parts; then_write() after each part. The others are met, and told
/// of, when they are used.
template <class T, class F, class G>
void in_parts(const lmdb::transaction& txn, const char* table, F f, G then_write) {
  const auto t = txn.open_table(table);
  if (!t)
    return; // open_tables() says so
  std::string last;
  for (std::size_t looked_at = records_in_a_part; looked_at == records_in_a_part;) {
    looked_at = 0;
    {
      lmdb::cursor c{txn, *t};
      bool more = c.seek(last);
      if (more && c.key() == last)
        more = c.next();
      for (; more && looked_at < records_in_a_part; more = c.next(), ++looked_at) {
        last = c.key();
        try {
          f(decode_record<T>(c.key(), c.value()));
        } catch (const damaged_record&) { // left as it is
        }
      }
    }
    then_write();
  }
}

void join_if_it_holds(incident_book& book, const snapshot& see, const alert_entry& x) {
  std::optional<snapshot::known_task> of;
  try {
    of = x.task_number == 0 ? std::nullopt : see.task(x.task_number);
  } catch (const damaged_record&) { // it is met, and told of, when it is used
  }
  const auto* const t = of ? &of->state.task : nullptr;
  const auto* const d = of ? of->definition.get() : nullptr;
  if (t == nullptr || !workflow::is_about_present_state(x.what) || workflow::still_holds(x.what, *t, *d))
    book.join(x.number, {x.task_number, x.task_id, x.what, workflow::signature_of(x.what, t, d)});
}

/// Those that a store has from that format on.
void make_tables_since(lmdb::transaction& txn, std::uint32_t format) {
  for (const auto& t : all_tables)
    if (t.since == format)
      txn.make_table(t.name);
}

/// Tasks that ended well are listed and counted by workflow, and alerts are listed by task.
void to_format_2(lmdb::transaction& txn) {
  const auto ended = txn.make_table("ended");
  const auto counts_table = txn.make_table("ended_counts");
  const auto task_alerts = txn.make_table("task_alerts");
  ended_counts counts;
  std::vector<key> keys;
  const auto put_keys = [&](lmdb::table in) {
    for (const auto& k : keys)
      txn.put(in, k, {});
    keys.clear();
  };
  in_parts<task_state>(
    txn, "tasks",
    [&](const task_state& s) {
      const auto& t = s.task;
      if (workflow::is_unfinished(t.state))
        return;
      keys.push_back(ended_key(t.workflow, t.ended_at, t.number));
      ++counts[t.workflow].there;
    },
    [&] { put_keys(ended); });
  in_parts<alert_entry>(
    txn, "alerts",
    [&](const alert_entry& x) {
      if (x.task_number != 0)
        keys.push_back(key{x.task_number, x.number});
    },
    [&] { put_keys(task_alerts); });
  for (const auto& [name, count] : counts)
    txn.put(counts_table, name, encode_record(name, count));
}

/// Tasks are written with compact bodies; those that are there are rewritten when they change.
void to_format_3(lmdb::transaction&) {}

/// New ids gather in a table of their own, which some stores of format 3 have already. And the data file may have a
/// journal.
void to_format_4(lmdb::transaction& txn) {
  txn.make_table("recent_ids");
}

/// Tasks are written with relative bodies; those that are there are rewritten when they change.
void to_format_5(lmdb::transaction&) {}

/// The data file says which journal belongs to it: none until the first is begun. Definitions are written with compact
/// bodies, which have a result and optional members; those that are there stay as they are. Alerts that are the same
/// thing are one incident: those that are open, and hold, begin with it.
void to_format_6(lmdb::transaction& txn) {
  put_used_journal(txn, {});
  make_tables_since(txn, incidents_since);
  const auto in = open_all_tables(txn, incidents_since);
  definition_cache definitions;
  const snapshot see{txn, in, definitions};
  incident_book book{txn, in, {}};
  std::vector<alert_entry> open;
  in_parts<alert_entry>(
    txn, "alerts",
    [&](alert_entry x) {
      if (x.acknowledged_at == workflow::unset)
        open.push_back(std::move(x));
    },
    [&] {
      for (const auto& x : open)
        join_if_it_holds(book, see, x);
      open.clear();
      book.write();
    });
}

std::vector<std::uint64_t> numbers_taken_out(lmdb::transaction& txn, lmdb::table t) {
  std::vector<std::uint64_t> numbers;
  std::vector<std::string> keys;
  do {
    keys.clear();
    {
      lmdb::cursor c{txn, t};
      for (bool more = c.first(); more && keys.size() < records_in_a_part; more = c.next())
        keys.emplace_back(c.key());
    }
    for (const auto& k : keys) {
      numbers.push_back(last_number(k));
      txn.erase(t, k);
    }
  } while (!keys.empty());
  return numbers;
}

/// The tasks of each workflow wait in a line of their own. A damaged one is met, and told of, when its deadline has
/// come.
void queue_by_workflow(lmdb::transaction& txn) {
  const auto ready = txn.make_table("ready");
  const auto delayed = txn.make_table("delayed");
  const auto tasks = txn.make_table("tasks");
  const auto first = numbers_taken_out(txn, ready);
  const auto later = numbers_taken_out(txn, delayed);
  const auto put = [&](std::uint64_t number, bool is_ready) {
    const key k{number};
    const auto bytes = txn.get(tasks, k);
    const auto there = bytes ? readable<task_state>(k, *bytes) : std::nullopt;
    if (!there)
      return;
    const auto& t = there->task;
    if (is_ready)
      txn.put(ready, ready_key(t.priority, t.workflow, number), {});
    else
      txn.put(delayed, delayed_key(t.not_before, t.priority, t.workflow, number), {});
  };
  for (const auto number : first)
    put(number, true);
  for (const auto number : later)
    put(number, false);
}

/// Tables that were added then, and the queue by workflow.
void to_format_7(lmdb::transaction& txn) {
  queue_by_workflow(txn);
  make_tables_since(txn, 7);
}

/// Steps of tasks that have many get rows of their own when they change.
void to_format_8(lmdb::transaction& txn) {
  make_tables_since(txn, 8);
}

/// Tasks may be part of traces, which a program that knows format 8 only would take for damage.
void to_format_9(lmdb::transaction&) {}

/// Steps may wait: likewise.
void to_format_10(lmdb::transaction&) {}

/// Steps may end later, by a token, or wait for events and persons.
void to_format_11(lmdb::transaction& txn) {
  make_tables_since(txn, 11);
}

/// There are schedules, steps may start tasks, and workflows may have limits.
void to_format_12(lmdb::transaction& txn) {
  make_tables_since(txn, 12);
}

/// Events may have ids, and tasks that have ended may still count under their limit.
void to_format_13(lmdb::transaction& txn) {
  make_tables_since(txn, 13);
}

} // namespace

std::vector<migration> all_migrations() {
  return {{1, to_format_2},  {2, to_format_3},   {3, to_format_4},   {4, to_format_5},
          {5, to_format_6},  {6, to_format_7},   {7, to_format_8},   {8, to_format_9},
          {9, to_format_10}, {10, to_format_11}, {11, to_format_12}, {12, to_format_13}};
}

std::optional<std::uint32_t> format_of(const lmdb::transaction& txn) {
  const auto meta = txn.open_table("meta");
  if (!meta)
    return std::nullopt;
  const auto bytes = txn.get(*meta, format_key);
  if (!bytes)
    return std::nullopt;
  try {
    return decode_record<format_record>(format_key, *bytes).format;
  } catch (const damaged_record& e) {
    throw store_error{std::string{"the record of the store's format is damaged: "} + e.what(), false};
  }
}

void set_format(lmdb::transaction& txn, std::uint32_t format) {
  txn.put(txn.make_table("meta"), format_key, encode_record(format_key, format_record{format}));
}

void expect_format(const lmdb::transaction& txn, std::uint32_t format, bool exactly) {
  const auto at = format_of(txn);
  if (at && *at > format)
    throw store_error{"the store has format " + std::to_string(*at) + ", this program knows formats up to "
                        + std::to_string(format) + ": run the newer version of the program",
                      false};
  if (at && *at < format && exactly)
    throw store_error{"the store has format " + std::to_string(*at) + ", this program reads format "
                        + std::to_string(format) + ": let a node open it, which brings it up to date",
                      false};
}

void migrate(lmdb::environment& env, std::uint32_t format, const std::vector<migration>& steps) {
  for (;;) {
    auto txn = lmdb::transaction::writing(env);
    const auto at = format_of(txn);
    if (!at || *at == format)
      return;
    const auto step = std::find_if(steps.begin(), steps.end(), [&](const migration& m) { return m.from == *at; });
    if (step == steps.end())
      throw store_error{"the store has format " + std::to_string(*at) + ", from which no way leads to format "
                          + std::to_string(format),
                        false};
    step->run(txn);
    set_format(txn, *at + 1);
    txn.commit();
  }
}

void put_partition(lmdb::transaction& txn, const workflow::partition& is) {
  if (is.count > 1)
    txn.put(txn.make_table("meta"), partition_key, encode_record(partition_key, partition_record{is}));
}

workflow::partition partition_in(const lmdb::transaction& txn) {
  const auto meta = txn.open_table("meta");
  const auto bytes = meta ? txn.get(*meta, partition_key) : std::nullopt;
  return bytes ? decode_record<partition_record>(partition_key, *bytes).is : workflow::partition{};
}

void expect_partition(const lmdb::transaction& txn, const workflow::partition& wanted,
                      const std::filesystem::path& path) {
  const auto is = partition_in(txn);
  if (is == wanted)
    return;
  const auto place = path.string();
  if (is.count == 1)
    throw store_error{"the store at " + place + " is a whole one, and was to be one of " + std::to_string(wanted.count)
                        + " partitions",
                      false};
  throw store_error{place + " is partition " + std::to_string(is.index) + " of a store that has "
                      + std::to_string(is.count) + ": name the folder that all of them are in",
                    false};
}

} // namespace steadfast::store
