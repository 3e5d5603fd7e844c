#include "store/partitions/postgres_engine.hpp"

#include "store/postgres/succession.hpp"
#include "store/records/record.hpp"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <set>
#include <tuple>
#include <utility>
#include <variant>

namespace steadfast::store {

namespace {

/// What cannot be read now cannot be read later, unless it was the server that failed.
[[noreturn]] void give_up_reading(const std::exception& e, postgres::partition& of) {
  const bool is_for_good = of.is_owned();
  if (is_for_good)
    of.release();
  throw store_error{e.what(), is_for_good};
}

bool registers_workflows(const write_list& batch) {
  return std::any_of(batch.begin(), batch.end(),
                     [](const write* w) { return std::holds_alternative<register_definition>(*w); });
}

std::vector<outcome> unknown_outcomes(std::size_t writes) {
  return std::vector<outcome>(writes, decision{write_status::unknown_outcome,
                                               "it is not known whether PostgreSQL took it: the same again does no "
                                               "harm"});
}

} // namespace

postgres_engine::postgres_engine(postgres_store_settings settings, const postgres::holding& seen,
                                 postgres::monotonic_clock now)
    : settings_{std::move(settings)},
      now_{std::move(now)},
      partition_{settings_.partition, settings_.owner, now_},
      ended_{settings_.owner, settings_.partition, now_},
      log_{partition_, ended_, settings_.lease, now_},
      living_{[this](const std::stop_token& end) { show_life(end); }},
      memory_{read_all(&seen)} {
  ended_.begin_to_know_ids();
}

postgres_engine::postgres_engine(postgres_store_settings settings, postgres::monotonic_clock now)
    : settings_{std::move(settings)},
      now_{std::move(now)},
      partition_{settings_.partition, settings_.owner, now_},
      ended_{settings_.owner, settings_.partition, now_},
      log_{partition_, ended_, settings_.lease, now_},
      living_{[this](const std::stop_token& end) { show_life(end); }},
      memory_{read_all()} {}

void postgres_engine::take_surely(const postgres::holding& seen) {
  const auto answer = partition_.take(seen);
  if (answer.result != postgres::taking::taken)
    throw store_error{"partition " + std::to_string(settings_.partition) + " could not be taken: " + answer.why, false};
}

std::unique_ptr<lmdb_engine> postgres_engine::read_all(const postgres::holding* to_take) {
  const std::lock_guard lock{writing_};
  if (to_take != nullptr)
    take_surely(*to_take);
  std::filesystem::remove_all(settings_.limits.path); // of a process that was killed
  engine_settings settings;
  settings.outside = &log_;
  settings.elsewhere = &ended_;
  const bool is_ahead = !partition_.is_owned();
  try {
    const partition_log::filling on_the_way{log_};
    auto memory = std::make_unique<lmdb_engine>(settings_.limits, settings);
    if (!is_ahead)
      log_.expect_owned();
    return memory;
  } catch (const std::exception& e) {
    give_up_reading(e, partition_);
  }
}

void postgres_engine::take(const postgres::holding& seen) {
  const std::lock_guard lock{writing_};
  take_surely(seen);
  try {
    const partition_log::filling on_the_way{log_};
    memory_->go_on();
    log_.expect_owned();
    ended_.begin_to_know_ids();
  } catch (const std::exception& e) {
    give_up_reading(e, partition_);
  }
}

postgres_engine::~postgres_engine() {
  living_ = {};
  end_keeping();
  log_.settle_all();
  if (partition_.is_owned())
    partition_.release();
  save_known();
  memory_.reset();
  std::error_code ignored; // the next one removes it
  std::filesystem::remove_all(settings_.limits.path, ignored);
}

// ---- commit ----

state_store::commit_end postgres_engine::begin_commit(const write_list& batch) {
  const std::lock_guard lock{writing_};
  if (const auto why = why_not_in_order(); !why.empty())
    throw store_error{why, false};
  auto needed = needed_of(batch);
  asked_elsewhere asked;
  std::vector<outcome> outcomes;
  for (bool is_decided = false; !is_decided;) { // on what one task says another may be needed
    put_back_needed(needed, batch.size(), asked);
    if (!needed.purges.empty())
      settle_in_order(); // a purge of a large family takes long, and life is shown only while nothing is under way
    const auto before = log_.last();
    needed_tasks also;
    try {
      const partition_log::filling on_the_way{log_};
      outcomes = memory_->commit(batch, asked, also);
    } catch (const store_error& e) {
      if (log_.last() == before || e.is_fatal())
        throw; // nothing was sent, or nobody is answered
      is_stale_ = true;
      outcomes = unknown_outcomes(batch.size());
    }
    is_decided = count_of(also) == 0;
    also.purges = std::move(needed.purges); // which may look at others, now that some have come back
    needed = std::move(also);
  }
  if (log_.has_damaged() && registers_workflows(batch))
    is_stale_ = true; // tasks whose definition was damaged are in no list yet
  const auto sent = log_.last();
  go_back_after_failure(); // it may have been saved at once, and so waited for
  return [this, sent, all = std::move(outcomes)]() mutable { return end_commit(sent.get(), std::move(all)); };
}

/// What is needed of tasks that are not in memory is there again before a batch is decided. Throws store_error: then
/// nothing of the batch was written.
void postgres_engine::put_back_needed(const needed_tasks& needed, std::size_t writes, asked_elsewhere& asked) {
  const partition_log::filling on_the_way{log_}; // which may take long, and nobody shall think that this owner is gone
  bool is_first = true;
  ended_.find_needed(
    needed, [this](std::uint64_t number) { return memory_->has(number); },
    [&](const std::string& workflow) { return memory_->ended_of(workflow) + writes; }, asked,
    [&](std::vector<rows_of_task> rows) {
      if (std::exchange(is_first, false))
        save_before_coming_back();
      const auto numbers = numbers_of(rows);
      memory_->put_back(std::move(rows));
      ended_.come_back(numbers);
    });
  if (needed.are_counted || asked.counts)
    asked.counts = ended_.counts();
}

void postgres_engine::settle_in_order() {
  log_.settle_all();
  go_back_after_failure();
  if (is_stale_ || !partition_.is_owned())
    throw store_error{"what was committed last is not in order yet", false};
}

void postgres_engine::save_before_coming_back() {
  settle_in_order();
  memory_->save();
  if (!memory_->is_saved())
    throw store_error{"what was committed last is not saved yet", false};
}

/// From the partition, as long as nobody reads what is only partly there.
void postgres_engine::fill_again() {
  const partition_log::filling on_the_way{log_};
  auto nobody_reads = ended_.try_to_let_leave();
  for (int tries = 0; !nobody_reads; ++tries) {
    constexpr int tries_max = 5000;
    if (tries == tries_max)
      throw store_error{"the store is read all the time, and has to be filled again", false};
    memory_->let_nobody_wait(); // for a save by this thread
    std::this_thread::sleep_for(std::chrono::milliseconds{1});
    nobody_reads = ended_.try_to_let_leave();
  }
  marked_.clear();
  look_from_.clear();
  memory_->fill_again();
}

std::vector<outcome> postgres_engine::end_commit(const entry_end* sent, std::vector<outcome> outcomes) {
  if (sent == nullptr)
    return outcomes;
  const std::lock_guard lock{writing_};
  log_.settle(*sent);
  go_back_after_failure();
  switch (const auto& [result, why, is_passing] = **sent; result) {
    case postgres::appending::applied: return outcomes;
    case postgres::appending::lost: throw store_error{"another node has the partition now: " + why, true};
    case postgres::appending::not_made: throw store_error{"PostgreSQL did not take a commit: " + why, false};
    case postgres::appending::unknown: break;
  }
  return unknown_outcomes(outcomes.size());
}

/// Who reads sees what is there, also while nothing can be written.
void postgres_engine::go_back_after_failure() {
  if (!log_.take_failure())
    return;
  try {
    memory_->go_back();
  } catch (const store_error& e) {
    is_stale_ = true;
    if (e.is_fatal())
      throw;
  }
}

/// Empty: what is in memory is what the partition holds.
std::string postgres_engine::why_not_in_order() {
  go_back_after_failure();
  if (partition_.is_in_doubt()) {
    is_stale_ = true;
    const auto found = partition_.resolve();
    switch (found.result) {
      case postgres::resolving::made:
      case postgres::resolving::not_made: break;
      case postgres::resolving::busy:
      case postgres::resolving::unreachable: return "PostgreSQL cannot be asked now: " + found.why;
      case postgres::resolving::lost:
      case postgres::resolving::server_lost: throw store_error{found.why, true};
    }
  }
  if (!partition_.is_owned())
    throw store_error{"another node has the partition now", true};
  if (is_stale_) {
    end_keeping(); // of an outdated state
    log_.settle_all();
    go_back_after_failure();
    fill_again();
    is_stale_ = false;
  }
  return {};
}

/// A commit of nothing, where there was none for a while. What becomes of it is found out by the next one.
void postgres_engine::show_life(const std::stop_token& end) {
  const auto period = postgres::sign_of_life_every(settings_.lease);
  std::mutex none;
  std::condition_variable_any ending;
  for (std::unique_lock lock{none}; !ending.wait_for(lock, end, period, [&] { return end.stop_requested(); });) {
    {
      const std::unique_lock alone{writing_, std::try_to_lock};
      log_.show_life_if_silent(alone.owns_lock());
    }
    save_known();
  }
}

void postgres_engine::save_known() const {
  if (settings_.owner.known)
    settings_.owner.known->save();
}

// ---- with other owners ----

void postgres_engine::expect_newest() const {
  if (!partition_.is_surely_owned(settings_.lease))
    throw store_error{
      "PostgreSQL has not answered for the lease of the store, so that another node may have changed this "
      "by now: ask again, or ask another node. Lists and counts show what was known last",
      false};
}

std::vector<std::uint32_t> postgres_engine::awaited_by() {
  const auto& schema = settings_.owner.where.schema;
  const auto n = settings_.partition;
  try {
    auto session = postgres::open_where_known(settings_.owner, n, postgres::session_name(schema, n) + " asks",
                                              settings_.owner.limits, now_);
    return postgres::waiting(session, schema, n);
  } catch (const store_error&) { // nobody could take it
    return {};
  }
}

bool postgres_engine::is_read_quickly() const {
  constexpr std::uint64_t few_tasks = 5000;
  std::uint64_t tasks = 0;
  for (const auto& [state, n] : memory_->counts().tasks)
    tasks += n;
  return tasks <= few_tasks;
}

/// The rows are not brought up any more: that would be waited for, and who has read them would have to read them again.
void postgres_engine::prepare_to_let_go(const waiting& wait) {
  constexpr std::chrono::milliseconds between_looks{20};
  const auto is_kept = [this] {
    const std::lock_guard lock{writing_};
    is_leaving_ = true;
    if (has_ended_keeping())
      end_keeping(); // and no rotation follows, in whose middle others would read
    return !keeper_;
  };
  while (!is_kept())
    if (!wait(between_looks))
      return;
  if (is_read_quickly())
    return;
  const auto& schema = settings_.owner.where.schema;
  const auto n = settings_.partition;
  try { // who has read it forgets that when the session ends
    leaving_ = postgres::open_where_known(settings_.owner, n, postgres::name_of_leaving(schema, n),
                                          settings_.owner.limits, now_);
    while (postgres::ready(*leaving_, schema, n).empty() && wait(between_looks)) {
    }
  } catch (const store_error&) { // whoever takes it reads it then
  }
}

void postgres_engine::let_go() {
  const std::lock_guard lock{writing_};
  end_keeping();
  log_.settle_all();
  if (partition_.is_owned())
    partition_.release();
  leaving_.reset();
}

postgres::append_answer postgres_engine::move_away(const std::string& where) {
  const std::lock_guard lock{writing_};
  if (const auto why = why_not_in_order(); !why.empty())
    return {postgres::appending::not_made, why, true};
  return partition_.move_away(where);
}

// ---- the rows ----

void postgres_engine::save() {
  const std::lock_guard lock{writing_};
  log_.settle_all();
  go_back_after_failure();
  memory_->save();
  if (is_stale_ || !memory_->is_saved() || !partition_.is_owned())
    return;
  if (has_ended_keeping() && end_keeping())
    partition_.rotate(); // the log that is not written has nothing that the rows lack
  let_leave();
  if (is_keeping_due())
    begin_keeping();
}

bool postgres_engine::is_keeping_due() const {
  if (keeper_ || is_leaving_ || !marked_.empty() || !partition_.is_owned() || partition_.known().commit <= kept_commit_)
    return false;
  if (log_.unkept() >= settings_.log_max || ended_.count_back() >= settings_.ended_max)
    return true; // a family that came back has very many marks that each question would have to leave out
  std::uint64_t ended = 0;
  memory_->look([&](const lmdb::transaction& txn, const tables& in) { ended = txn.entries(in.ended); });
  return ended >= staying_ + settings_.ended_max;
}

/// Out of the memory, now that they are known to be marked, unless they have changed since.
void postgres_engine::let_leave() {
  if (marked_.empty() || is_stale_ || !memory_->is_saved())
    return;
  const auto while_nobody_reads = ended_.try_to_let_leave();
  if (!while_nobody_reads)
    return;
  const auto count = memory_->take_out(marked_);
  ended_.leave(marked_, count);
  marked_.clear();
}

std::uint64_t postgres_engine::tasks_in_memory() const {
  std::uint64_t tasks = 0;
  memory_->look([&](const lmdb::transaction& txn, const tables& in) { tasks = txn.entries(in.tasks); });
  return tasks;
}

/// REQUIRES: the memory is saved.
void postgres_engine::begin_keeping() {
  keeper_ = std::make_unique<keeper>();
  keeper_->bytes = log_.unkept();
  keeper_->rows = log_.take_changed();
  keeper_->until = kept_commit_ = partition_.known().commit;
  keeper_->epoch = partition_.known().epoch;
  keeper_->back = ended_.back();
  keeper_->look_from = look_from_;
  keeper_->thread = std::thread{[this, k = keeper_.get()] {
    std::string trouble;
    try {
      keep(*k);
    } catch (const std::exception& e) {
      trouble = e.what();
    }
    const std::lock_guard lock{k->mutex};
    k->trouble = std::move(trouble);
    k->has_begun = k->has_ended = true;
    k->changed.notify_all();
  }};
  std::unique_lock lock{keeper_->mutex};
  keeper_->changed.wait(lock, [this] { return keeper_->has_begun; });
}

namespace {

/// What is to become of the rows. Of two changes of a row the first here counts.
std::vector<postgres::row_change> merged(const leaving_tasks& leaving, const tasks_again& again,
                                         std::vector<postgres::row_change> changed, std::uint64_t rows_of_tasks) {
  const auto recents = static_cast<std::int64_t>(place_of(&tables::recent_ids));
  std::vector<postgres::row_change> all;
  const auto add = [&](const stored_row& r, std::uint64_t ended) {
    all.push_back({{static_cast<std::int64_t>(r.table), r.key}, r.value, static_cast<std::int64_t>(ended)});
  };
  for (const auto& t : leaving.tasks) {
    for (const auto& r : t.rows)
      add(r, t.number);
    // Its id is in the other table from now on.
    all.push_back({{recents, std::string{key{t.number}.view()}}, {}, static_cast<std::int64_t>(t.number)});
  }
  for (const auto& r : again.rows)
    add(r, 0);
  std::move(changed.begin(), changed.end(), std::back_inserter(all));
  const auto place = [](const postgres::row_change& c) { return std::tie(c.at.table, c.at.key); };
  std::stable_sort(all.begin(), all.end(), [&](const auto& a, const auto& b) { return place(a) < place(b); });
  all.erase(std::unique(all.begin(), all.end(), [&](const auto& a, const auto& b) { return place(a) == place(b); }),
            all.end());
  std::erase_if(all, [&](const postgres::row_change& c) { // the rows never had it
    return !c.value && c.at.table == recents && static_cast<std::uint64_t>(c.ended) > rows_of_tasks;
  });
  return all;
}

} // namespace

void postgres_engine::keep(keeper& k) {
  std::vector<postgres::row_change> rows;
  tasks_again again;
  memory_->look([&](const lmdb::transaction& txn, const tables& in) {
    {
      const std::lock_guard lock{k.mutex};
      k.has_begun = true;
      k.changed.notify_all();
    }
    rows = k.rows.as_they_are(txn, in);
    definition_cache definitions;
    k.leaving = tasks_to_leave(txn, in, definitions, k.look_from);
    std::set<std::uint64_t> back{k.back.begin(), k.back.end()};
    for (const auto& t : k.leaving.tasks)
      back.erase(t.number);
    again = tasks_as_they_are(txn, in, definitions, {back.begin(), back.end()});
    const auto counted = readable<counters>(counters_key, txn.get(in.meta, counters_key).value_or(std::string_view{}));
    k.last_task = counted ? counted->last_task : ~0ULL;
  });
  rows = merged(k.leaving, again, std::move(rows), rows_of_tasks_);
  ended_.come_back(numbers_of(k.leaving.tasks)); // until they have left, whether they are marked or not
  std::vector<postgres::statement> statements;
  const auto add = [&](std::vector<postgres::statement> part) {
    std::move(part.begin(), part.end(), std::back_inserter(statements));
  };
  if (!again.unreadable.empty())
    add(
      postgres::statements_to_unmark(settings_.partition, as_numbers(again.unreadable), as_numbers(lists_elsewhere())));
  if (!k.back.empty())
    add({postgres::statement_to_drop(settings_.partition, k.back)});
  add(postgres::statements_to_keep(settings_.partition, rows, k.until));
  statements.insert(statements.begin(), postgres::fence_of(settings_.partition, k.epoch, settings_.owner.holder));
  auto limits = settings_.owner.limits;
  limits.answer = settings_.keep_limit;
  auto session = postgres::open_where_known(
    settings_.owner, settings_.partition,
    postgres::session_name(settings_.owner.where.schema, settings_.partition) + " rows", limits, now_);
  const auto r = session.run(statements);
  if (postgres::end_of(r) != postgres::transaction_end::made)
    throw store_error{postgres::why(r), false};
}

bool postgres_engine::has_ended_keeping() const {
  if (!keeper_)
    return false;
  const std::lock_guard lock{keeper_->mutex};
  return keeper_->has_ended;
}

bool postgres_engine::end_keeping() {
  if (!keeper_)
    return true;
  keeper_->thread.join();
  const auto done = std::exchange(keeper_, nullptr);
  if (!done->trouble.empty())
    log_.give_back(std::move(done->rows), done->bytes);
  const bool is_made = done->trouble.empty();
  if (!is_made)
    return false;
  rows_of_tasks_ = done->last_task;
  look_from_ = done->leaving.next;
  staying_ = done->leaving.staying;
  ended_.keep(done->until, done->back, numbers_of(done->leaving.tasks));
  marked_ = std::move(done->leaving.tasks);
  return true;
}

// ---- a copy ----

void postgres_engine::copy(const std::filesystem::path& to) const {
  const auto none_leaves = ended_.hold();
  std::optional<copy_filler> filler;
  std::vector<std::int64_t> back;
  try {
    ended_.each_page(
      [&] {
        back = ended_.back();
        memory_->copy(to);
        filler.emplace(to, settings_.limits.size_max);
        if (ended_.back() != back)
          throw store_error{"tasks that ended came back meanwhile: try again", false};
      },
      [&](std::vector<rows_of_task> page) {
        std::erase_if(page, [&](const rows_of_task& t) {
          return std::binary_search(back.begin(), back.end(), static_cast<std::int64_t>(t.number));
        });
        filler->add(page);
      });
    filler->finish();
  } catch (const std::exception& e) {
    if (!filler)
      throw; // there is none, or it was there before
    filler.reset();
    std::filesystem::remove_all(to);
    throw store_error{"cannot copy the store to " + to.string() + ": " + e.what(), false};
  }
}

} // namespace steadfast::store
