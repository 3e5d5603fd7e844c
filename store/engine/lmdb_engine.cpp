#include "store/engine/lmdb_engine.hpp"

#include "store/engine/lmdb_store.hpp"
#include "store/journal/migration.hpp"
#include "store/journal/moved.hpp"
#include "store/journal/recovery.hpp"
#include "store/journal/restored.hpp"
#include "store/journal/unsaved.hpp"
#include "workflow/text/split.hpp"

#include <algorithm>
#include <cerrno>
#include <variant>

namespace steadfast::store {

namespace {

constexpr std::uint64_t map_in_need = 64ULL << 20;

/// A reader that was killed keeps every page since its snapshot from being used again.
constexpr std::uint64_t commits_between_looks = 256;

bool has_new_work(const write_list& batch) {
  return std::any_of(batch.begin(), batch.end(), [](const write* w) {
    return std::holds_alternative<submit_task>(*w) || std::holds_alternative<import_task>(*w);
  });
}

/// Bytes of its payload and results.
std::uint64_t size_of(const workflow::task& t) {
  std::uint64_t bytes = t.payload.size();
  for (const auto& s : t.steps)
    bytes += s.result.size();
  return bytes;
}

/// Nothing was ever committed.
bool is_empty(const lmdb::transaction& txn) {
  const auto all = txn.open_table("");
  return !all || txn.entries(*all) == 0;
}

/// Which of them, and what to do. REQUIRES: is_full.
std::string full_words(const lmdb::error& e, const store_options& o) {
  if (e.is_map_full())
    return "the store has reached " + name_of_limit(o) + ", its reserve included: raise it";
  if (e.code() == EFBIG)
    return "the store has a file of the largest size that this process may write (ulimit -f): raise that limit";
  return "the disk of the store is full: make room on it";
}

/// What was done since begin() is dropped unless it is kept.
class dropped_unless_kept {
public:
  dropped_unless_kept(shared_transaction& t, id_filter& read) : transaction_{&t}, read_{read} {}
  dropped_unless_kept(const dropped_unless_kept&) = delete;
  dropped_unless_kept& operator=(const dropped_unless_kept&) = delete;
  ~dropped_unless_kept() {
    if (transaction_ == nullptr)
      return;
    transaction_->drop();
    read_.drop_position();
  }

  void keep() {
    transaction_ = nullptr;
    read_.keep_position();
  }

private:
  shared_transaction* transaction_;
  id_filter& read_; ///< what the transaction showed
};

store_error lost() {
  return {"the store failed before; what is on disk is only known again after a restart", true};
}

store_directory directory_for(const store_options& options, bool is_for_move) {
  if (const auto wrong = problems(options); !wrong.empty())
    throw store_error{workflow::joined(wrong, "; "), false};
  if (exists(partition_folder(options.path, 0)))
    throw store_error{options.path.string() + " is the folder of a store of several partitions, and not one of them",
                      false};
  if (!options.read_only && !is_for_move)
    refuse_moved(options.path);
  return options.read_only ? store_directory::look_at(options.path) : store_directory::take(options.path);
}

} // namespace

std::unique_ptr<local_store> open_lmdb_store(const store_options& options) {
  return std::make_unique<lmdb_engine>(options);
}

bool is_full(const lmdb::error& e) {
  return e.is_map_full() || e.is_disk_full();
}

bool is_fatal(const lmdb::error& e) {
  return !is_full(e) && !e.is_passing();
}

// ---- opening and closing ----

lmdb_engine::lmdb_engine(const store_options& options, const engine_settings& settings)
    : options_{options},
      directory_{directory_for(options, settings.is_for_move)},
      outside_{settings.outside},
      elsewhere_{settings.elsewhere},
      committed_{options.recent_ids_max},
      moved_ids_{options.recent_ids_max} {
  try {
    heed_file_limit();
    open_environment(settings);
    expect_format(lmdb::transaction::reading(*env_), settings.format, options.read_only);
    if (options.read_only && !directory_.is_in_use() && !was_closed_ && has_unsaved(*env_, directory_))
      let_writer_save(settings);
    if (!options.read_only) {
      reserve_.emplace(env_->file(), options.size_reserve);
      directory_.mark_open();
      if (!was_closed_)
        env_->sync_heads();
      env_->clear_stale_readers();
      save_from_journal();
      bring_up(settings);
      with_room([&] { make_tables(settings.format); });
    }
    open_tables();
    if (outside_ != nullptr)
      fill();
    if (!options.read_only) {
      with_room([&] { raise_epochs(); }); // a copy of a store that is full must open too
      with_room([&] { set_foreign_journal_aside(*env_, in_, directory_); });
    }
    read_counters();
    shared_ = std::make_unique<shared_transaction>(*env_, in_, directory_, options_, outside_);
  } catch (const lmdb::error& e) {
    throw store_error{"store at " + options.path.string() + ": " + (is_full(e) ? full_words(e, options_) : e.what()),
                      false};
  }
}

lmdb_engine::~lmdb_engine() {
  const bool is_saved = shared_ && shared_->is_saved();
  shared_.reset(); // what it did not save is in the journal
  const bool is_well = env_ && is_saved && !options_.read_only && !is_lost_;
  const auto last = is_well ? env_->last_transaction() : 0;
  env_.reset();
  try {
    if (is_well)
      directory_.mark_closed({last, directory_.file_size()});
  } catch (const store_error&) { // then it is looked at when it is opened again
  }
}

/// What a write can meet there is not always an error that tells it, so the file must not come so far.
void lmdb_engine::heed_file_limit() {
  const auto limit = file_size_limit();
  if (options_.read_only || limit >= options_.size_max)
    return;
  const auto needed = std::max(directory_.file_size(), options_.size_reserve + size_least);
  if (limit < needed)
    throw store_error{"the store at " + options_.path.string() + " needs a file of " + mib_text(needed)
                        + " at least, and this process may write none above " + mib_text(limit)
                        + " (ulimit -f): raise that limit",
                      false};
  options_.size_max = limit;
}

/// A file that was not closed by us, or has changed since, is looked at before it is touched.
void lmdb_engine::open_environment(const engine_settings& settings) {
  const bool is_whole = settings.map_initial == 0 || options_.read_only;
  const auto wanted = is_whole ? options_.size_max : std::min(settings.map_initial, options_.size_max);
  const auto closed = directory_.closed();
  const bool is_same_size = closed && closed->file_size == directory_.file_size();
  const bool is_looked_at = !directory_.is_new() && !directory_.is_in_use();
  if (is_looked_at)
    look_in_child(options_.path, options_.read_only, is_same_size ? look::structure : look::all);
  map(wanted);
  was_closed_ = is_same_size && closed->transaction == env_->last_transaction();
  if (!is_looked_at || !is_same_size || was_closed_)
    return;
  env_.reset(); // LMDB must not have a file open twice
  look_in_child(options_.path, options_.read_only, look::all);
  map(wanted);
}

/// Only addresses are used up by a map that is larger than the file. A process that may not have so many maps less, and
/// grows.
void lmdb_engine::map(std::uint64_t bytes) {
  const auto open = [&](std::uint64_t size) {
    env_ = std::make_unique<lmdb::environment>(
      lmdb::environment_settings{options_.path, size, options_.read_only, true, outside_ == nullptr});
  };
  try {
    open(bytes);
  } catch (const lmdb::error& e) {
    if (e.code() != ENOMEM || bytes <= map_in_need)
      throw;
    open(map_in_need);
  }
}

/// The last process was killed, and what it had only in the journal is not seen by looking at the data file.
void lmdb_engine::let_writer_save(const engine_settings& settings) {
  auto writing = options_;
  writing.read_only = false;
  auto also_moved = settings;
  also_moved.is_for_move = true;
  env_.reset();
  lmdb_engine{writing, also_moved};
  open_environment(settings);
}

/// Of a new store. One that is there has them all: what it lacks was damaged, and making it again would hide that.
void lmdb_engine::make_tables(std::uint32_t format) {
  auto txn = lmdb::transaction::writing(*env_);
  if (format_of(txn))
    return sync_directory(directory_.path()); // the process that made it may have died before it came to that
  if (is_empty(txn) && directory_.was_used())
    throw damaged_file(directory_.path(), "nothing is in it, though a store was here");
  if (!is_empty(txn))
    throw damaged_file(directory_.path(), "the record of its format is missing");
  set_format(txn, format);
  put_used_journal(txn, {});
  put_partition(txn, options_.partition);
  txn.put(txn.make_table("meta"), counters_key, encode_record(counters_key, counters{}));
  for (const auto& t : all_tables)
    txn.make_table(t.name);
  txn.commit();
  sync_directory(directory_.path());
}

void lmdb_engine::open_tables() {
  auto txn = lmdb::transaction::reading(*env_);
  if (is_empty(txn))
    throw store_error{"there is no store at " + directory_.path().string() + ": nothing was written to it yet", false};
  try {
    in_ = open_all_tables(txn);
    expect_partition(txn, options_.partition, options_.path);
  } catch (const damaged_record& e) {
    throw damaged_file(directory_.path(), e.what());
  }
  txn.commit(); // keeps the handles
}

/// What the last process had no time to save.
void lmdb_engine::save_from_journal() {
  with_room([&] { take_in_journal(*env_, directory_, was_closed_); });
}

void lmdb_engine::bring_up(const engine_settings& settings) {
  with_room([&] { migrate(*env_, settings.format, settings.migrations); });
}

/// In one transaction, so that whoever reads sees all that was there before, or all that is there now.
void lmdb_engine::fill() {
  with_room([&] {
    auto txn = lmdb::transaction::writing(*env_);
    for (const auto& t : all_tables)
      txn.empty(in_.*t.table);
    set_format(txn, store_format);
    put_used_journal(txn, {});
    put_partition(txn, options_.partition);
    txn.put(in_.meta, counters_key, encode_record(counters_key, counters{}));
    const auto damaged = outside_->fill(txn, in_);
    expect_format(txn, store_format, true);
    txn.commit();
    report(damaged);
  });
}

void lmdb_engine::report(const damaged_tasks& all) {
  for (const auto& [number, why] : all) {
    committed_.damage.forget(number); // what was told before may not have been written
    committed_.damage.report(number, why);
  }
}

void lmdb_engine::fill_again() {
  const std::lock_guard lock{writing_};
  shared_->drop();
  read_again([this] { fill(); });
  shared_->begin_again();
}

void lmdb_engine::go_on() {
  const std::lock_guard lock{writing_};
  shared_->drop();
  read_again([this] {
    bool is_done = false;
    with_room([&] {
      auto txn = lmdb::transaction::writing(*env_);
      damaged_tasks damaged;
      is_done = outside_->go_on(txn, in_, damaged);
      if (!is_done)
        return;
      txn.commit();
      report(damaged);
    });
    if (!is_done)
      fill();
  });
  shared_->begin_again();
}

void lmdb_engine::go_back() {
  const std::lock_guard lock{writing_};
  shared_->drop();
  read_again([this] { with_room([this] { shared_->save(); }); });
}

/// What is kept in memory of the tables, once those are right.
void lmdb_engine::read_again(const std::function<void()>& make_right) {
  try {
    make_right();
    const auto txn = lmdb::transaction::reading(*env_);
    committed_.load(txn, in_);
    recent_ids recent{options_.recent_ids_max};
    recent.load(txn, in_, committed_.count.last_task);
    committed_.recent.replace(recent);
    moved_ids_ = id_filter{options_.recent_ids_max};
  } catch (const lmdb::error& e) {
    give_up(e);
  } catch (const damaged_record& e) {
    throw store_error{std::string{"what the store is kept in is damaged: "} + e.what(), false};
  }
}

void lmdb_engine::look(const std::function<void(const lmdb::transaction&, const tables&)>& use) const {
  use(lmdb::transaction::reading(*env_), in_);
}

bool lmdb_engine::has(std::uint64_t number) const {
  const std::lock_guard lock{writing_};
  if (shared_->known().find(number) != nullptr)
    return true;
  const auto is_there = [&](const lmdb::transaction& txn) { return txn.get(in_.tasks, key{number}).has_value(); };
  if (shared_->is_open() && shared_->is_mine())
    return is_there(shared_->without_held());
  return is_there(lmdb::transaction::reading(*env_));
}

std::uint64_t lmdb_engine::ended_of(const std::string& workflow) const {
  const auto known = committed_.ended.find(workflow);
  return known == committed_.ended.end() ? 0 : known->second.there;
}

void lmdb_engine::put_back(std::vector<rows_of_task> all) {
  const std::lock_guard lock{writing_};
  try {
    with_room([&] {
      auto txn = lmdb::transaction::writing(*env_);
      std::erase_if(all, [&](const rows_of_task& t) { return txn.get(in_.tasks, key{t.number}).has_value(); });
      const auto damaged = store::put_back(txn, in_, all);
      txn.commit();
      report(damaged);
    });
  } catch (const lmdb::error& e) {
    give_up(e);
  }
  for (const auto& t : all)
    for (const auto& r : t.rows)
      if (r.table == place_of(&tables::ids))
        moved_ids_.add(r.key);
}

std::size_t lmdb_engine::take_out(std::vector<leaving_task>& all) {
  const std::lock_guard lock{writing_};
  auto changed = all.end();
  try {
    with_room([&] {
      auto txn = lmdb::transaction::writing(*env_);
      changed = std::stable_partition(all.begin(), all.end(),
                                      [&](const leaving_task& t) { return store::take_out(txn, in_, t); });
      txn.commit();
    });
  } catch (const lmdb::error& e) {
    give_up(e);
  }
  recent_ids::changes gone;
  for (auto t = all.begin(); t != changed; ++t) {
    gone.gone.push_back(t->id);
    shared_->known().forget(t->number);
  }
  committed_.recent.take_over(gone, committed_.count.last_task);
  return gone.gone.size();
}

/// Calls f() again when it needs more room than there is in the map.
template <class F>
void lmdb_engine::with_room(F f) {
  for (;;) {
    try {
      return f();
    } catch (const lmdb::error& e) {
      if (!e.is_map_full() || !grow(size_of_last_resort()))
        throw;
    }
  }
}

void lmdb_engine::raise_epochs() {
  auto txn = lmdb::transaction::writing(*env_);
  raise_epochs_of_copy(txn, in_, options_.epochs_from);
  txn.commit();
}

void lmdb_engine::read_counters() {
  const auto txn = lmdb::transaction::reading(*env_);
  try {
    committed_.load(txn, in_);
  } catch (const damaged_record& e) {
    throw store_error{
      "the counters of the store are damaged (" + std::string{e.what()} + "): restore a copy of the store", false};
  }
  if (!options_.read_only)
    committed_.recent.load(txn, in_, committed_.count.last_task);
}

// ---- commit ----

std::vector<outcome> lmdb_engine::commit(const write_list& batch) {
  needed_tasks none;
  return commit(batch, {}, none);
}

std::vector<outcome> lmdb_engine::commit(const write_list& batch, const asked_elsewhere& asked, needed_tasks& needed) {
  const std::lock_guard lock{writing_};
  if (options_.read_only)
    return std::vector<outcome>(batch.size(),
                                turned_down(write_status::refused, "the store was opened to be read only"));
  if (is_lost_)
    throw lost();
  if (shared_->is_open() && !shared_->is_mine()) // LMDB would wait for ever
    throw store_error{"two threads commit to a store whose commits are shared", false};
  commit_limits limits;
  limits.has_disk = has_disk_for(batch);
  limits.full = limits.has_disk ? room::there : room::no_disk;
  for (;;) {
    try {
      return try_commit(batch, limits, asked, needed);
    } catch (const lmdb::error& e) {
      if (e.is_map_full() && (grow(options_.size_max) || save_first()))
        continue;
      if (is_full(e) && limits.full == room::there && has_new_work(batch))
        limits.full = e.is_map_full() ? room::no_pages : room::no_disk; // running work may still fit
      else
        give_up(e);
    } catch (const store_error&) {
      throw;
    } catch (const std::exception& e) { // out of memory, or a bug: the transaction is undone
      throw store_error{std::string{"nothing of the batch was written ("} + e.what() + ")", false};
    }
  }
}

bool lmdb_engine::has_disk_for(const write_list& batch) {
  constexpr std::uint64_t pages_of_a_write = 16; // of the trees it changes
  std::uint64_t coming = shared_->unsaved_bytes() * journal_growth;
  for (const auto* w : batch) {
    coming += pages_of_a_write * env_->page_size();
    if (const auto* submission = std::get_if<submit_task>(w))
      coming += submission->what.payload.size();
    else if (const auto* import = std::get_if<import_task>(w))
      coming += size_of(import->what.task);
  }
  return reserve_->has_room_for(env_->pages_in_file() * env_->page_size(), coming);
}

std::vector<outcome> lmdb_engine::try_commit(const write_list& batch, const commit_limits& limits,
                                             const asked_elsewhere& asked, needed_tasks& needed) {
  if (++commits_ % commits_between_looks == 0)
    env_->clear_stale_readers();
  grow_ahead();
  dropped_unless_kept guard{*shared_, moved_ids_};
  auto& txn = shared_->begin();
  const auto pages_max = (options_.size_max - options_.size_reserve) / env_->page_size();
  write_batch writes{
    txn,
    in_,
    committed_,
    {&options_, limits.full, pages_max, &moved_ids_, &shared_->known(), shared_->changes(), elsewhere_, &asked}};
  std::vector<outcome> outcomes;
  outcomes.reserve(batch.size());
  for (const auto* w : batch)
    outcomes.push_back(writes.carry_out(*w));
  needed = writes.needed();
  if (count_of(needed) > 0)
    return {};
  writes.finish();
  const bool is_save_due = shared_->commit(limits.has_disk);
  guard.keep();
  writes.tell(committed_);
  if (is_save_due)
    try_to_save();
  return outcomes;
}

/// False: the map is as large as it may be, and nothing else is to be had.
bool lmdb_engine::grow(std::uint64_t limit) {
  const auto now = env_->map_size();
  if (now >= limit)
    return env_->clear_stale_readers() > 0;
  env_->set_map_size(std::min(now * 2, limit));
  return true;
}

/// What was acknowledged must be saved, and a store must open, also where versions before this one have left no room.
std::uint64_t lmdb_engine::size_of_last_resort() const {
  return 2 * options_.size_max;
}

/// What was committed before, so that the batch has the transaction for itself. False: there was nothing.
bool lmdb_engine::save_first() {
  if (shared_->is_saved())
    return false;
  try {
    with_room([&] {
      dropped_unless_kept guard{*shared_, moved_ids_};
      shared_->save();
      guard.keep();
    });
  } catch (const lmdb::error& e) {
    give_up(e);
  }
  return true;
}

/// Growing waits for readers, so it is done early when there happens to be none.
void lmdb_engine::grow_ahead() {
  const auto now = env_->map_size();
  if (!shared_->is_open() && now < options_.size_max && env_->pages_in_file() * env_->page_size() > now / 2)
    env_->try_set_map_size(std::min(now * 2, options_.size_max));
}

void lmdb_engine::share(std::function<void()> wake) {
  const std::lock_guard lock{writing_};
  if (options_.read_only)
    return;
  if (!wake)
    return shared_->end_sharing();
  try {
    with_room([&] { shared_->share(wake, options_.journal_name); });
  } catch (const lmdb::error& e) {
    if (is_fatal(e))
      give_up(e);
    throw store_error{std::string{"there is no journal: "} + e.what(), false};
  } catch (const std::exception& e) {
    throw store_error{std::string{"there is no journal: "} + e.what(), false};
  }
}

void lmdb_engine::save() {
  const std::lock_guard lock{writing_};
  try_to_save();
}

/// What fails here is tried again, and told, by the next commit, unless the process must not go on.
void lmdb_engine::try_to_save() {
  while (!is_lost_) {
    try {
      dropped_unless_kept guard{*shared_, moved_ids_};
      shared_->save();
      guard.keep();
      return grow_ahead();
    } catch (const lmdb::error& e) {
      if (e.is_map_full() && grow(size_of_last_resort()))
        continue;
      is_lost_ = is_fatal(e);
    } catch (const store_error&) { // told by the next commit
    }
    break;
  }
  shared_->let_go();
  if (is_lost_)
    throw lost();
}

/// Also what was dropped, of which only the journal knows.
void lmdb_engine::save_here() const {
  if (is_lost_)
    throw lost();
  const std::lock_guard lock{writing_};
  try {
    shared_->save();
  } catch (const lmdb::error& e) {
    is_lost_ = is_lost_ || is_fatal(e);
    throw;
  }
}

/// The data file lacks what is only in the journal, so after a failure that is not read either.
void lmdb_engine::wait_for_save() const {
  if (shared_->is_saved())
    return;
  if (shared_->is_mine() || !shared_->is_shared())
    return save_here();
  if (is_lost_)
    throw lost();
  const bool is_saved = shared_->wait();
  if (is_lost_)
    throw lost();
  if (!is_saved)
    throw store_error{"what was acknowledged last is only in the journal, and cannot be read until there is room: "
                      "the disk of the store is full",
                      false};
}

void lmdb_engine::give_up(const lmdb::error& e) {
  if (is_full(e))
    throw store_error{full_words(e, options_), false};
  if (!is_fatal(e))
    throw store_error{std::string{"nothing of the batch was written ("} + e.what() + ")", false};
  is_lost_ = true;
  shared_->let_go();
  throw store_error{std::string{"the store could not be written ("} + e.what()
                      + "); what is on disk is only known again after a restart",
                    true};
}

} // namespace steadfast::store
