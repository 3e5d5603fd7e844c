#include "store/engine/leaving.hpp"

#include "store/contract/state_store.hpp"
#include "store/journal/directory.hpp"
#include "store/lmdb/indexes.hpp"
#include "store/lmdb/prefix_scan.hpp"
#include "store/lmdb/snapshot.hpp"

#include <fcntl.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <utility>

namespace steadfast::store {

namespace {

constexpr std::size_t leaving_max = 20'000;
constexpr std::size_t leaving_bytes_max = std::size_t{32} << 20U;
constexpr std::size_t looked_at_to_leave_max = 40'000;

std::uint64_t hash_of_record(std::string_view row) {
  return XXH3_64bits(row.data(), row.size());
}

bool has_open_alert(const lmdb::transaction& txn, const tables& in, std::uint64_t number) {
  const auto alerts = keys_with(txn, in.task_alerts, key{number});
  return std::any_of(alerts.begin(), alerts.end(),
                     [&](const std::string& k) { return txn.get(in.open_alerts, key{last_number(k)}).has_value(); });
}

bool has_notices(const lmdb::transaction& txn, const tables& in, const workflow::task& t) {
  return !t.reply_to.empty() && has_any_with(txn, in.notices, key{owner_key(t.reply_to).view(), t.number});
}

/// Copies rows of a task.
class row_copier {
public:
  row_copier(const lmdb::transaction& txn, const tables& in, std::vector<stored_row>& to)
      : txn_{txn},
        in_{in},
        to_{to} {}

  void copy(lmdb::table tables::*t, std::string_view k) {
    if (const auto value = txn_.get(in_.*t, k))
      add(t, k, *value);
  }
  void copy_all(lmdb::table tables::*t, std::string_view prefix) {
    each_with(txn_, in_.*t, prefix, prefix, [&](const lmdb::cursor& c) {
      add(t, c.key(), c.value());
      return true;
    });
  }
  /// But for its id and its lists.
  void copy_own(const known_task& known) {
    const key k{known.state.task.number};
    copy(&tables::tasks, k);
    copy(&tables::payloads, k);
    for (const auto& large : known.state.large)
      copy(&tables::results, key{known.state.task.number, large.step});
    for (const auto& x : workflow::indexed_values(*known.definition, known.state.task.payload.view()))
      copy(&tables::payload_index, payload_index_key(x, known.state.task.number));
    if (known.state.rows.steps != 0)
      copy_all(&tables::task_steps, k);
    if (workflow::any_starts_child(*known.definition))
      for (const auto of_items : {&tables::item_groups, &tables::items})
        copy_all(of_items, k);
  }
  void add(lmdb::table tables::*t, std::string_view k, std::string_view value) {
    to_.push_back({place_of(t), std::string{k}, std::string{value}});
  }

private:
  const lmdb::transaction& txn_;
  const tables& in_;
  std::vector<stored_row>& to_;
};

/// Throws damaged_record.
std::string ref_of(const snapshot& see, const workflow::task& t) {
  const auto recent = see.recent_ref(t.number);
  const auto ref = recent ? recent : see.ref_of(t.id);
  if (!ref || ref->number != t.number)
    throw damaged_record{"its id is not known"};
  return std::string{encode_record(t.id, *ref)};
}

std::optional<leaving_task> as_leaving(const lmdb::transaction& txn, const tables& in, const snapshot& see,
                                       std::uint64_t number) {
  const key k{number};
  const auto row = txn.get(in.tasks, k);
  auto known = row ? std::optional{see.task_in(number, *row)} : std::nullopt;
  if (!known || !may_leave(known->state.task.state, kept_of(txn, in, known->state.task)))
    return std::nullopt;
  if (!known->definition->index.empty())
    see.complete(*known);
  const auto& t = known->state.task;
  const auto place = known->place();
  leaving_task l{number, t.id, t.workflow, kept_index_position{place}, hash_of_record(*row), {}};
  row_copier rows{txn, in, l.rows};
  rows.add(&tables::ids, t.id, ref_of(see, t));
  rows.copy_own(*known);
  if (t.state != workflow::process_state::processed) // as which most end, so that who looks for those looks at all
    rows.add(&tables::states, key{static_cast<std::uint8_t>(t.state), number}, {});
  rows.add(&tables::ended, ended_key(t.workflow, place.ended_at, number), parent_in_list(t));
  return l;
}

/// None comes without a change of what is counted of all.
bool has_same_items(const lmdb::transaction& txn, const tables& in, const leaving_task& t) {
  const auto groups = place_of(&tables::item_groups);
  const auto items = place_of(&tables::items);
  return std::all_of(t.rows.begin(), t.rows.end(), [&](const stored_row& r) {
    return (r.table != groups && r.table != items) || txn.get(table_at(in, r.table), r.key) == r.value;
  });
}

std::size_t bytes_of(const leaving_task& t) {
  std::size_t bytes = 0;
  for (const auto& r : t.rows)
    bytes += r.key.size() + r.value.size();
  return bytes;
}

} // namespace

kept_of_ended kept_of(const lmdb::transaction& txn, const tables& in, const workflow::task& t) {
  return {has_open_alert(txn, in, t.number), has_notices(txn, in, t)};
}

leaving_tasks tasks_to_leave(const lmdb::transaction& txn, const tables& in, definition_cache& definitions,
                             const std::string& from) {
  const snapshot see{txn, in, definitions};
  leaving_tasks all;
  std::size_t bytes = 0;
  std::size_t looked_at = 0;
  each_with(txn, in.ended, {}, from, [&](const lmdb::cursor& c) {
    if (all.tasks.size() == leaving_max || bytes >= leaving_bytes_max || looked_at++ == looked_at_to_leave_max) {
      all.next = c.key();
      return false;
    }
    try {
      if (auto t = as_leaving(txn, in, see, last_number(c.key()))) {
        bytes += bytes_of(*t);
        all.tasks.push_back(*std::move(t));
        return true;
      }
    } catch (const damaged_record&) { // whoever reads it tells of it
    }
    ++all.staying;
    return true;
  });
  return all;
}

tasks_again tasks_as_they_are(const lmdb::transaction& txn, const tables& in, definition_cache& definitions,
                              const std::vector<std::uint64_t>& numbers) {
  const snapshot see{txn, in, definitions};
  tasks_again all;
  row_copier rows{txn, in, all.rows};
  for (const auto number : numbers) {
    const key k{number};
    try {
      if (const auto known = see.whole_task(number)) {
        rows.copy_own(*known);
        rows.copy(&tables::recent_ids, k);
        if (const auto ref = see.ref_of(known->state.task.id); ref && ref->number == number)
          rows.copy(&tables::ids, known->state.task.id);
      } else if (txn.get(in.set_aside, k)) {
        all.unreadable.push_back(number);
      }
    } catch (const damaged_record&) {
      all.unreadable.push_back(number);
    }
  }
  return all;
}

std::string parent_in_list(const workflow::task& t) {
  return t.parent.empty() || t.parent->number == 0 ? std::string{} : std::string{key{t.parent->number}.view()};
}

bool take_out(lmdb::transaction& txn, const tables& in, const leaving_task& t) {
  const key k{t.number};
  const auto row = txn.get(in.tasks, k);
  if (!row || hash_of_record(*row) != t.record)
    return false;
  if (!has_same_items(txn, in, t)) // an item can be undone after its parent ended, of whose record nothing changes
    return false;
  remove_from_indexes(txn, in, t.number, t.place.of(t.workflow));
  for (const auto& r : t.rows)
    if (!is_list_elsewhere(r.table))
      txn.erase(table_at(in, r.table), r.key);
  txn.erase(in.recent_ids, k);
  return true;
}

std::vector<std::uint64_t> lists_elsewhere() {
  return {place_of(&tables::states), place_of(&tables::ended)};
}

bool is_of_task_elsewhere(std::uint64_t table) {
  static const auto own = {place_of(&tables::ids),           place_of(&tables::tasks),
                           place_of(&tables::payloads),      place_of(&tables::results),
                           place_of(&tables::payload_index), place_of(&tables::task_steps),
                           place_of(&tables::item_groups),   place_of(&tables::items)};
  return std::find(own.begin(), own.end(), table) != own.end();
}

bool is_list_elsewhere(std::uint64_t table) {
  static const auto lists = lists_elsewhere();
  return std::find(lists.begin(), lists.end(), table) != lists.end();
}

damaged_tasks put_back(lmdb::transaction& txn, const tables& in, const std::vector<rows_of_task>& all) {
  definition_cache definitions;
  damaged_tasks damaged;
  for (const auto& t : all) {
    for (const auto& r : t.rows)
      if (!is_list_elsewhere(r.table))
        txn.put(table_at(in, r.table), r.key, r.value);
    try {
      if (const auto known = snapshot{txn, in, definitions}.task(t.number))
        add_to_lists(txn, in, t.number, known->place());
    } catch (const damaged_record& e) {
      damaged.emplace(t.number, e.what());
    }
  }
  return damaged;
}

void drop_rest(lmdb::transaction& txn, const tables& in, const std::vector<rows_of_task>& all) {
  for (const auto& t : all) {
    const key k{t.number};
    if (txn.get(in.tasks, k) || txn.get(in.set_aside, k))
      continue;
    for (const auto& r : t.rows) {
      const bool is_id = r.table == place_of(&tables::ids);
      const auto ref =
        is_id ? readable<task_ref>(r.key, txn.get(in.ids, r.key).value_or(std::string_view{})) : std::nullopt;
      if (!is_list_elsewhere(r.table) && (!is_id || (ref && ref->number == t.number)))
        txn.erase(table_at(in, r.table), r.key);
    }
  }
}

// ---- a copy ----

copy_filler::copy_filler(const std::filesystem::path& directory, std::uint64_t map_size)
    : directory_{directory},
      env_{std::make_unique<lmdb::environment>(lmdb::environment_settings{directory, map_size, false, false, false})} {}

void copy_filler::add(const std::vector<rows_of_task>& all) {
  auto txn = lmdb::transaction::writing(*env_);
  put_back(txn, open_all_tables(txn), all);
  txn.commit();
}

void copy_filler::finish() {
  env_.reset();
  const auto path = directory_ / "data.mdb";
  const file_handle file{open(path.c_str(), O_RDWR | O_CLOEXEC)};
  if (file.get() < 0 || fsync(file.get()) != 0)
    throw store_error{"cannot sync " + path.string() + ": " + std::strerror(errno), false};
}

} // namespace steadfast::store
