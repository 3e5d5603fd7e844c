#include "store/partitions/postgres_engine.hpp"

#include "store/postgres/succession.hpp"

#include <algorithm>
#include <filesystem>
#include <utility>
#include <variant>

namespace steadfast::store {

namespace {

void take_surely(postgres::partition& p, const postgres::holding& seen) {
  const auto answer = p.take(seen);
  if (answer.result != postgres::taking::taken)
    throw store_error{"partition " + std::to_string(p.number()) + " could not be taken: " + answer.why, false};
}

postgres::partition taken(postgres::partition p, const postgres::holding& seen) {
  take_surely(p, seen);
  return p;
}

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
      partition_{taken({settings_.partition, settings_.owner, now_}, seen)},
      log_{partition_, settings_.lease, now_},
      living_{[this](const std::stop_token& end) { show_life(end); }},
      memory_{read_all()} {}

postgres_engine::postgres_engine(postgres_store_settings settings, postgres::monotonic_clock now)
    : settings_{std::move(settings)},
      now_{std::move(now)},
      partition_{settings_.partition, settings_.owner, now_},
      log_{partition_, settings_.lease, now_},
      living_{[this](const std::stop_token& end) { show_life(end); }},
      memory_{read_all()} {}

std::unique_ptr<lmdb_engine> postgres_engine::read_all() {
  const std::lock_guard lock{writing_};
  std::filesystem::remove_all(settings_.limits.path); // of a process that was killed
  engine_settings settings;
  settings.outside = &log_;
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
  take_surely(partition_, seen);
  try {
    const partition_log::filling on_the_way{log_};
    memory_->go_on();
    log_.expect_owned();
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
  memory_.reset();
  std::error_code ignored; // the next one removes it
  std::filesystem::remove_all(settings_.limits.path, ignored);
}

// ---- commit ----

state_store::commit_end postgres_engine::begin_commit(const write_list& batch) {
  const std::lock_guard lock{writing_};
  if (const auto why = why_not_in_order(); !why.empty())
    throw store_error{why, false};
  const auto before = log_.last();
  std::vector<outcome> outcomes;
  try {
    outcomes = memory_->commit(batch);
  } catch (const store_error& e) {
    if (log_.last() == before || e.is_fatal())
      throw; // nothing was sent, or nobody is answered
    is_stale_ = true;
    outcomes = unknown_outcomes(batch.size());
  }
  if (log_.has_damaged() && registers_workflows(batch))
    is_stale_ = true; // tasks whose definition was damaged are in no list yet
  const auto sent = log_.last();
  go_back_after_failure(); // it may have been saved at once, and so waited for
  return [this, sent, all = std::move(outcomes)]() mutable { return end_commit(sent.get(), std::move(all)); };
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
    const partition_log::filling on_the_way{log_};
    memory_->fill_again();
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
    const std::unique_lock alone{writing_, std::try_to_lock};
    log_.show_life_if_silent(alone.owns_lock());
  }
}

std::int64_t postgres_engine::count_sessions(const std::string& name) const {
  const auto& where = settings_.owner.where;
  auto session = postgres::connection::open(where, postgres::session_name(where.schema, settings_.partition) + " asks",
                                            settings_.owner.limits, now_);
  return postgres::count_sessions(session, name);
}

bool postgres_engine::is_awaited() {
  const auto& schema = settings_.owner.where.schema;
  try {
    return count_sessions(postgres::name_of_waiting(schema)) + count_sessions(postgres::name_of_ready(schema)) > 0;
  } catch (const store_error&) { // nobody could take it
    return false;
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
  const auto& where = settings_.owner.where;
  try { // who has read it forgets that when the session ends
    leaving_ = postgres::connection::open(where, postgres::name_of_leaving(where.schema), settings_.owner.limits, now_);
    while (postgres::count_sessions(*leaving_, postgres::name_of_ready(where.schema)) == 0 && wait(between_looks)) {
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
  if (!keeper_ && !is_leaving_ && partition_.is_owned() && log_.unkept() >= settings_.log_max)
    begin_keeping();
}

/// REQUIRES: the memory is saved.
void postgres_engine::begin_keeping() {
  keeper_ = std::make_unique<keeper>();
  keeper_->bytes = log_.unkept();
  keeper_->rows = log_.take_changed();
  keeper_->thread = std::thread{[this, k = keeper_.get(), known = partition_.known()] {
    std::string trouble;
    try {
      keep(k->rows, known.commit, known.epoch);
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

void postgres_engine::keep(const changed_rows& changed, std::int64_t until, std::int64_t epoch) {
  std::vector<postgres::row_change> rows;
  memory_->look([&](const lmdb::transaction& txn, const tables& in) {
    {
      const std::lock_guard lock{keeper_->mutex};
      keeper_->has_begun = true;
      keeper_->changed.notify_all();
    }
    rows = changed.as_they_are(txn, in);
  });
  auto statements = postgres::statements_to_keep(settings_.partition, rows, until);
  statements.insert(statements.begin(), postgres::fence_of(settings_.partition, epoch, settings_.owner.holder));
  auto limits = settings_.owner.limits;
  limits.answer = settings_.keep_limit;
  auto session = postgres::connection::open(
    settings_.owner.where, postgres::session_name(settings_.owner.where.schema, settings_.partition) + " rows", limits,
    now_);
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
  return done->trouble.empty();
}

} // namespace steadfast::store
