#include "store/partitions/partition_log.hpp"

#include "store/contract/state_store.hpp"
#include "store/journal/change_log.hpp"
#include "store/journal/unsaved.hpp"
#include "store/lmdb/indexes.hpp"
#include "store/lmdb/snapshot.hpp"
#include "store/postgres/succession.hpp"
#include "store/records/compact.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

namespace steadfast::store {

namespace {

/// Where tasks are in them follows from their records.
bool is_list(std::uint64_t table) {
  static const auto lists = {place_of(&tables::states), place_of(&tables::deadlines), place_of(&tables::locked),
                             place_of(&tables::ended)};
  return std::find(lists.begin(), lists.end(), table) != lists.end();
}

/// A task that cannot be read is in no list, and is told of when somebody asks for it.
void list_all(lmdb::transaction& txn, const tables& in, const std::function<void()>& on_the_way) {
  definition_cache definitions;
  std::vector<std::uint64_t> numbers;
  for (lmdb::cursor c{txn, in.tasks}; numbers.empty() ? c.first() : c.next();)
    numbers.push_back(last_number(c.key()));
  for (const auto number : numbers) {
    on_the_way();
    try {
      if (const auto known = snapshot{txn, in, definitions}.task(number))
        add_to_lists(txn, in, number, known->place());
    } catch (const damaged_record&) { // as said above
    }
  }
}

} // namespace

// ---- changed_rows ----

void changed_rows::note(std::string_view changes) {
  each_row_changed(changes, [this](std::uint64_t table, std::string_view key) {
    if (is_list(table))
      return;
    compact_writer out{bytes_};
    out.put(table);
    out.put(key.size());
    out.save_binary(key.data(), key.size());
  });
}

std::vector<postgres::row_change> changed_rows::as_they_are(const lmdb::transaction& txn, const tables& in) const {
  std::vector<std::pair<std::uint64_t, std::string_view>> all;
  for (compact_reader from{bytes_}; from.left() > 0;) {
    const auto table = from.take();
    all.emplace_back(table, from.take_view(from.take()));
  }
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  std::vector<postgres::row_change> changes;
  changes.reserve(all.size());
  for (const auto& [table, key] : all) {
    const auto value = txn.get(table_at(in, table), key);
    changes.push_back({{static_cast<std::int64_t>(table), std::string{key}},
                       value ? std::optional{std::string{*value}} : std::nullopt});
  }
  return changes;
}

// ---- partition_log ----

void partition_log::add(std::string_view entry) {
  append(first_.empty() ? entry : std::string_view{first_ + std::string{entry}});
  first_.clear();
}

void partition_log::append(std::string_view entry) {
  if (!of_.is_owned())
    throw store_error{"the partition is in doubt", false};
  const auto answer = of_.append(entry);
  switch (answer.result) {
    case postgres::appending::applied: break;
    case postgres::appending::lost: throw store_error{"another node has the partition now: " + answer.why, true};
    case postgres::appending::not_made:
    case postgres::appending::unknown: throw store_error{"PostgreSQL did not take a commit: " + answer.why, false};
  }
  entries_.emplace_back(entry);
  size_ += entry.size();
  unkept_ += entry.size();
  changed_.note(entry);
}

void partition_log::begin(std::uint64_t /*state*/) {
  entries_.clear();
  size_ = 0;
}

void partition_log::fill(lmdb::transaction& txn, const tables& in) {
  if (!of_.is_owned())
    throw store_error{"the partition is in doubt", false};
  shown_at_ = now_();
  const auto until = of_.read_rows([&](std::int64_t table, std::string_view key, std::string_view value) {
    show_life();
    txn.append(table_at(in, static_cast<std::uint64_t>(table)), key, value);
  });
  list_all(txn, in, [this] { show_life(); });
  changed_ = {};
  unkept_ = 0;
  std::vector<std::string> later;
  for (auto& r : of_.read_log(until)) {
    unkept_ += r.changes.size();
    changed_.note(r.changes);
    later.push_back(std::move(r.changes));
  }
  make_entries(txn, later, "PostgreSQL");
  begin(0);
  first_.clear();
  if (until == 0 && later.empty()) {
    change_log said{in};
    said.on_put(in.meta, format_key, {}, txn.get(in.meta, format_key).value_or(std::string_view{}));
    first_ = said.bytes();
  }
}

/// Nothing is written for a long time while much is read.
void partition_log::show_life() {
  const auto now = now_();
  if (now - shown_at_ < postgres::sign_of_life_every(lease_))
    return;
  shown_at_ = now;
  if (const auto answer = of_.append({}); answer.result != postgres::appending::applied)
    throw store_error{"PostgreSQL did not take a commit: " + answer.why, answer.result == postgres::appending::lost};
}

changed_rows partition_log::take_changed() {
  unkept_ = 0;
  return std::exchange(changed_, {});
}

void partition_log::give_back(changed_rows changed, std::size_t bytes) {
  changed.add(changed_);
  changed_ = std::move(changed);
  unkept_ += bytes;
}

} // namespace steadfast::store
