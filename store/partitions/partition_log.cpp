#include "store/partitions/partition_log.hpp"

#include "store/contract/state_store.hpp"
#include "store/journal/change_log.hpp"
#include "store/journal/unsaved.hpp"
#include "store/lmdb/indexes.hpp"
#include "store/lmdb/snapshot.hpp"
#include "store/postgres/succession.hpp"
#include "store/records/compact.hpp"
#include "store/records/record.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <string_view>
#include <utility>

namespace steadfast::store {

namespace {

/// But those that cannot be read, which are returned.
damaged_tasks list_all(lmdb::transaction& txn, const tables& in) {
  damaged_tasks damaged;
  definition_cache definitions;
  std::vector<std::uint64_t> numbers;
  for (lmdb::cursor c{txn, in.tasks}; numbers.empty() ? c.first() : c.next();)
    numbers.push_back(last_number(c.key()));
  for (const auto number : numbers) {
    try {
      if (const auto known = snapshot{txn, in, definitions}.task(number))
        add_to_lists(txn, in, number, known->place());
    } catch (const damaged_record& e) {
      damaged.emplace(number, e.what());
    }
  }
  return damaged;
}

} // namespace

namespace {

/// Whether the row belongs to a task that there was not yet when the last one had that number.
bool is_of_newer_task(std::uint64_t table, std::string_view key, std::uint64_t last) {
  if (table == place_of(&tables::ids))
    return false; // which does not tell
  const auto number =
    table == place_of(&tables::payload_index) ? last_number(key) : key_reader{key}.number<std::uint64_t>().value_or(0);
  return number > last;
}

} // namespace

bool is_kept(std::uint64_t table) {
  static const auto lists = {place_of(&tables::states), place_of(&tables::deadlines), place_of(&tables::locked),
                             place_of(&tables::ended)};
  return std::find(lists.begin(), lists.end(), table) == lists.end();
}

// ---- changed_rows ----

void changed_rows::note(std::string_view changes) {
  each_row_changed(changes, [this](std::uint64_t table, std::string_view key) {
    if (!is_kept(table))
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
  const std::lock_guard lock{using_partition_};
  if (!of_.is_owned())
    throw store_error{"the partition is in doubt", false};
  const bool says_first = !first_.empty() && under_way_.empty();
  auto whole = says_first ? first_ : std::string{};
  whole += entry;
  if (const auto why = postgres::why_too_large(whole); !why.empty())
    throw store_error{"PostgreSQL did not take a commit: " + why, false};
  changed_.note(whole); // a row too many does no harm
  of_.begin_append(whole);
  last_ = under_way_.emplace_back(sent_entry{std::make_shared<entry_end>(), now_()}).end;
  size_ += whole.size();
  unkept_ += whole.size();
  entries_.push_back(std::move(whole));
}

/// What became of the oldest. Those after one that was not made are not made either.
void partition_log::settle_one() {
  const std::lock_guard lock{using_partition_};
  const auto answer = of_.end_append();
  *under_way_.front().end = answer;
  if (answer.result == postgres::appending::applied) {
    note_time(now_() - under_way_.front().at);
    under_way_.pop_front();
    return first_.clear();
  }
  has_failed_ = true;
  for (; !under_way_.empty(); under_way_.pop_front()) {
    *under_way_.front().end = answer;
    size_ -= entries_.back().size();
    entries_.pop_back();
  }
  while (of_.under_way() > 0)
    of_.end_append();
}

void partition_log::note_time(std::chrono::steady_clock::duration took) {
  constexpr unsigned of_entries = 64;
  auto& q = quickest_;
  q.now = std::min(q.now, took);
  if (++q.entries % of_entries == 0)
    q.before = std::exchange(q.now, std::chrono::steady_clock::duration::max());
}

bool partition_log::is_far() const {
  constexpr std::chrono::milliseconds far{3};
  return std::min(quickest_.now, quickest_.before) > far;
}

void partition_log::settle_all() {
  while (!under_way_.empty())
    settle_one();
}

void partition_log::settle() {
  settle_all();
  if (has_failed_)
    throw store_error{"PostgreSQL did not take a commit: " + last_->value().why, false};
}

bool partition_log::take_failure() {
  if (has_failed_)
    last_.reset();
  return std::exchange(has_failed_, false);
}

void partition_log::settle(const entry_end& e) {
  while (!e)
    settle_one();
}

void partition_log::begin(std::uint64_t /*state*/) {
  entries_.clear();
  size_ = 0;
}

damaged_tasks partition_log::fill(lmdb::transaction& txn, const tables& in) {
  if (of_.is_in_doubt())
    throw store_error{"the partition is in doubt", false};
  shown_at_ = now_();
  ahead_.reset();
  const auto use = [&](std::int64_t table, std::string_view key, std::string_view value) {
    show_life();
    txn.append(table_at(in, static_cast<std::uint64_t>(table)), key, value);
  };
  std::int64_t until = 0;
  std::unique_lock using_it{using_partition_};
  if (of_.is_owned())
    until = of_.read_rows(use);
  else
    ahead_ = of_.read_rows_ahead(use);
  using_it.unlock();
  auto damaged = list_all(txn, in);
  changed_ = {};
  unkept_ = 0;
  using_it.lock();
  if (!ahead_)
    expect_owned();
  auto found = ahead_ ? of_.read_log_ahead(*ahead_) : of_.read_log(until);
  const auto later = changes_of(std::move(found));
  const auto back = put_back_changed(txn, in, later, damaged);
  ended_.begin(ahead_ ? ahead_->until : until, numbers_of(back));
  using_it.unlock();
  make_entries(txn, later, "PostgreSQL", &damaged);
  drop_rest(txn, in, back);
  has_damaged_ = !damaged.empty();
  begin_filled((ahead_ ? ahead_->until : until) == 0 && later.empty(), txn, in);
  return damaged;
}

bool partition_log::go_on(lmdb::transaction& txn, const tables& in, damaged_tasks& damaged) {
  std::unique_lock using_it{using_partition_};
  const auto& known = of_.known();
  if (!of_.is_owned() || !ahead_ || !is_part_of(*ahead_, {known.epoch - 1, of_.read_until(), known.commit}))
    return false;
  const bool was_new = ahead_->commit == 0;
  auto found = of_.read_log(ahead_->commit);
  const auto later = changes_of(std::move(found));
  const auto back = put_back_changed(txn, in, later, damaged);
  ended_.come_back(numbers_of(back));
  using_it.unlock();
  make_entries(txn, later, "PostgreSQL", &damaged);
  drop_rest(txn, in, back);
  has_damaged_ = has_damaged_ || !damaged.empty();
  ahead_.reset();
  begin_filled(was_new && later.empty(), txn, in);
  return true;
}

/// A task that was marked, and of which the log has more, is in the tables again.
std::vector<rows_of_task> partition_log::put_back_changed(lmdb::transaction& txn, const tables& in,
                                                          const std::vector<std::string>& later,
                                                          damaged_tasks& damaged) {
  constexpr std::size_t in_question = 4096;
  std::vector<postgres::row_place> open;
  std::set<std::int64_t> tasks;
  const auto ask = [&] {
    if (open.empty())
      return;
    show_life();
    const auto found = of_.read({postgres::statement_of_owners(of_.number(), open)}, "ended tasks");
    for (std::size_t i = 0; i < found[0].size(); ++i)
      tasks.insert(found[0].number(i, 0));
    open.clear();
  };
  const auto counted = readable<counters>(counters_key, txn.get(in.meta, counters_key).value_or(std::string_view{}));
  const auto last = counted ? counted->last_task : 0;
  std::set<std::pair<std::uint64_t, std::string>> known;
  for (const auto& changes : later)
    each_row_changed(changes, [&](std::uint64_t table, std::string_view key) {
      if (!is_of_task_elsewhere(table) || is_of_newer_task(table, key, last) || txn.get(table_at(in, table), key)
          || !known.emplace(table, std::string{key}).second)
        return;
      open.push_back({static_cast<std::int64_t>(table), std::string{key}});
      if (open.size() == in_question)
        ask();
    });
  ask();
  std::vector<rows_of_task> all;
  for (auto from = tasks.begin(); from != tasks.end();) {
    std::vector<std::int64_t> part;
    for (; from != tasks.end() && part.size() < tasks_in_answer; ++from)
      part.push_back(*from);
    show_life();
    const auto found = of_.read({postgres::statement_of_tasks(of_.number(), part)}, "ended tasks");
    auto rows = grouped(postgres::marked_rows_in(found[0]));
    std::move(rows.begin(), rows.end(), std::back_inserter(all));
  }
  damaged.merge(put_back(txn, in, all));
  return all;
}

std::vector<std::string> partition_log::changes_of(std::vector<postgres::log_record> records) {
  std::vector<std::string> all;
  all.reserve(records.size());
  for (auto& r : records) {
    unkept_ += r.changes.size();
    changed_.note(r.changes);
    all.push_back(std::move(r.changes));
  }
  return all;
}

void partition_log::begin_filled(bool is_new, const lmdb::transaction& txn, const tables& in) {
  begin(0);
  has_failed_ = false;
  last_.reset();
  first_.clear();
  if (!is_new)
    return;
  change_log said{in};
  said.on_put(in.meta, format_key, {}, txn.get(in.meta, format_key).value_or(std::string_view{}));
  first_ = said.bytes();
}

void partition_log::expect_owned() const {
  if (!of_.is_owned())
    throw store_error{"the partition was lost while it was read", false};
}

/// Nothing is written for a long time while many rows are read.
void partition_log::show_life() {
  const auto now = now_();
  if (!of_.is_owned() || now - shown_at_ < postgres::sign_of_life_every(lease_))
    return;
  shown_at_ = now;
  if (const auto answer = of_.append({}); answer.result != postgres::appending::applied)
    throw store_error{"PostgreSQL did not take a commit: " + answer.why, answer.result == postgres::appending::lost};
}

void partition_log::show_life_if_silent(bool may_write) {
  const std::lock_guard lock{using_partition_};
  if (!may_write && !is_filling_)
    return;
  const bool is_silent = under_way_.empty() && of_.known().commit == shown_commit_;
  if (is_silent && of_.is_owned())
    of_.append({});
  shown_commit_ = of_.known().commit;
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
