#include "store/partitions/move.hpp"

#include "store/engine/lmdb_engine.hpp"
#include "store/journal/change_log.hpp"
#include "store/journal/moved.hpp"
#include "store/journal/restored.hpp"
#include "store/partitions/postgres_engine.hpp"
#include "store/postgres/kept_rows.hpp"

#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace steadfast::store {

namespace {

namespace fs = std::filesystem;
using postgres::making;

constexpr std::int64_t first_commit = 1; ///< what is moved counts as one
constexpr std::size_t statement_bytes = std::size_t{1} << 20U;
constexpr postgres::session_limits patient{std::chrono::milliseconds{5000}, std::chrono::milliseconds{60'000}};

[[noreturn]] void cannot_move(const std::string& why) {
  throw store_error{why, false};
}

std::uint64_t tasks_in_order(const lmdb_engine& store) {
  const auto report = store.check();
  if (!report.faults.empty())
    cannot_move("the store has " + std::to_string(report.faults.size()) + " faults, so nothing was moved: "
                + report.faults.front() + " (`steadfast store check` lists them all)");
  return report.tasks;
}

postgres::connection connect(const postgres::place& to, const postgres::monotonic_clock& now) {
  return postgres::connection::open(to, "steadfast " + to.schema + " move", patient, now);
}

// ---- to a server ----

/// One that is committed at its end or not at all, however much is sent meanwhile.
class long_transaction {
public:
  explicit long_transaction(postgres::connection& c) : connection_{c} { run({{"begin", {}}}); }

  /// Throws store_error: then it is never made.
  std::vector<postgres::rows> run(const std::vector<postgres::statement>& all) {
    auto r = connection_.run(all);
    if (postgres::end_of(r) != postgres::transaction_end::made)
      cannot_move("PostgreSQL did not take it: " + postgres::why(r));
    return std::move(r.results);
  }
  /// REQUIRES: nothing failed.
  postgres::reply commit() { return connection_.run({{"commit", {}}}); }

private:
  postgres::connection& connection_;
};

constexpr std::int64_t the_partition = 0; ///< only a store that has no others can be moved

/// What is in a table, as a check of what was sent.
struct table_figures {
  std::int64_t rows = 0;
  std::int64_t bytes = 0;

  bool operator==(const table_figures&) const = default;
};
using figures = std::map<std::int64_t, table_figures>;

/// The journal is part of the files, and not of what is in the store.
bool goes_along(const tables& in, lmdb::table t, std::string_view key) {
  return t.dbi != in.meta.dbi || key != journal_key;
}

figures send_rows(const lmdb::transaction& txn, const tables& in, long_transaction& to, const move_progress& tell) {
  figures sent;
  std::vector<postgres::row_change> batch;
  std::size_t bytes = 0;
  std::uint64_t rows = 0;
  const auto send = [&] {
    to.run(postgres::statements_to_keep(the_partition, batch, first_commit));
    rows += batch.size();
    batch.clear();
    bytes = 0;
    tell(std::to_string(rows) + " rows copied");
  };
  for (std::int64_t number = 1; number <= static_cast<std::int64_t>(all_tables.size()); ++number) {
    const auto table = table_at(in, static_cast<std::uint64_t>(number));
    if (!is_kept(static_cast<std::uint64_t>(number)))
      continue;
    lmdb::cursor c{txn, table};
    for (bool more = c.first(); more; more = c.next()) {
      if (!goes_along(in, table, c.key()))
        continue;
      batch.push_back({{number, std::string{c.key()}}, std::string{c.value()}});
      const auto size = c.key().size() + c.value().size();
      sent[number].rows += 1;
      sent[number].bytes += static_cast<std::int64_t>(size);
      bytes += size;
      if (bytes >= statement_bytes)
        send();
    }
  }
  send();
  return sent;
}

figures rows_there(long_transaction& to) {
  const auto found = to.run({{"select in_table, count(*), sum(octet_length(key) + octet_length(value))::bigint from "
                                + postgres::kept_table(the_partition) + " group by in_table",
                              {}}});
  figures all;
  for (std::size_t i = 0; i < found[0].size(); ++i)
    all[found[0].number(i, 0)] = {found[0].number(i, 1), found[0].number(i, 2)};
  return all;
}

std::uint64_t total_rows(const figures& f) {
  std::uint64_t all = 0;
  for (const auto& [table, x] : f)
    all += static_cast<std::uint64_t>(x.rows);
  return all;
}

/// All but the commit. Says how many rows there are.
std::uint64_t fill(long_transaction& to, const lmdb_engine& from, const std::vector<postgres::statement>& tables_made,
                   const move_progress& tell) {
  to.run(tables_made);
  to.run({{"insert into " + postgres::log_table(the_partition, 0) + " (commit_number, changes) values ($1, '')",
           {postgres::number(first_commit)}}});
  figures sent;
  from.look([&](const lmdb::transaction& txn, const tables& in) { sent = send_rows(txn, in, to, tell); });
  if (rows_there(to) != sent)
    cannot_move("PostgreSQL does not have what was sent to it, so nothing was moved");
  return total_rows(sent);
}

/// Whether the schema has the store of that mark.
bool is_there(const postgres::found_store& found, const move_mark& mark) {
  return found.card && found.card->identity == mark.identity;
}

// ---- to files ----

/// By a call that did not come to its end, perhaps.
bool was_moved_to(const std::string& where, const postgres::place& from, const postgres::monotonic_clock& now) {
  auto server = connect(from, now);
  const auto found = postgres::find_store(server, from.schema);
  return found.card && found.card->product == postgres::product_moved_to(where);
}

void rename_durably(const fs::path& from, const fs::path& to) {
  std::error_code failed;
  fs::rename(from, to, failed);
  if (failed)
    cannot_move("cannot rename " + from.string() + " to " + to.string() + ": " + failed.message());
  sync_directory(parent_of(to));
}

} // namespace

std::string why_not_moved(std::size_t partitions) {
  if (partitions <= 1)
    return {};
  return "it has " + std::to_string(partitions)
         + " partitions, and only a store of one can be moved: take its tasks over with `steadfast store export` and "
           "`steadfast store import`";
}

move_answer move_to_server(const store_options& from, const postgres::place& to, const std::string& identity,
                           const postgres::monotonic_clock& now, const move_progress& tell) {
  engine_settings settings;
  settings.is_for_move = true;
  if (!fs::exists(from.path / "data.mdb"))
    cannot_move("there is no store at " + from.path.string());
  const lmdb_engine store{from, settings};
  auto server = connect(to, now);
  const auto before = mark_of_move(from.path);
  move_mark mark{false, identity, "the schema " + to.schema + " at " + server.server()};
  if (before)
    mark.identity = before->identity;
  const auto found = postgres::find_store(server, to.schema);
  move_answer answer{making::made, {}, 0, 0, mark.where};
  const auto finish = [&] {
    mark.is_done = true;
    mark_move(from.path, mark);
    return answer;
  };
  if (before && is_there(found, mark))
    return finish();
  if (before && (before->is_done || before->where != mark.where))
    refuse_moved(from.path);
  if (auto refused = postgres::why_not_made_here(found, to.schema); !refused.empty())
    cannot_move(refused);
  tell("checking the store");
  answer.tasks = tasks_in_order(store);
  mark_move(from.path, mark);
  std::optional<postgres::reply> end;
  try {
    long_transaction all{server};
    answer.rows = fill(all, store, postgres::statements_of_init(to.schema, found.has_schema, mark.identity, 1), tell);
    end = all.commit();
  } catch (...) {
    if (!before) // one that was killed may have sent its commit just now
      forget_move(from.path);
    throw;
  }
  switch (postgres::end_of(*end)) {
    case postgres::transaction_end::made: return finish();
    case postgres::transaction_end::unknown: answer.result = making::unknown; break;
    case postgres::transaction_end::refused:
      answer.result = making::refused;
      if (!before)
        forget_move(from.path);
  }
  answer.why = postgres::why(*end);
  return answer;
}

move_answer move_to_files(const postgres_store_options& from, const fs::path& to, const std::string& host,
                          const postgres::monotonic_clock& now, const wait_for_turn& wait, const move_progress& tell) {
  move_answer answer{making::made, {}, 0, 0, to.string() + " on " + host};
  const auto half = to.string() + ".moving";
  const bool is_there = fs::exists(fs::symlink_status(to));
  if (was_moved_to(answer.where, from.where, now) && (is_there || fs::exists(half))) {
    if (!is_there)
      rename_durably(half, to);
    return answer;
  }
  if (is_there)
    cannot_move(to.string() + " is there already: name a folder that is not");
  auto there = take_postgres_store(from, now, wait);
  if (there.empty())
    cannot_move("it was given up");
  if (const auto why = why_not_moved(there.size()); !why.empty())
    cannot_move(why);
  const auto store = std::move(there.front());
  fs::remove_all(half); // of a move that was killed
  tell("copying");
  store->copy(half);
  store_options files;
  files.path = half;
  unmark_copy(half, files.size_max);
  tell("checking what was copied");
  {
    const lmdb_engine copied{files};
    answer.tasks = tasks_in_order(copied);
    copied.look([&](const lmdb::transaction& txn, const tables& in) {
      for (const auto& t : all_tables)
        answer.rows += txn.entries(in.*t.table);
    });
  }
  const auto end = store->move_away(answer.where);
  answer.why = end.why;
  switch (end.result) {
    case postgres::appending::applied: rename_durably(half, to); break;
    case postgres::appending::unknown: answer.result = making::unknown; break;
    case postgres::appending::lost:
    case postgres::appending::not_made: answer.result = making::refused; fs::remove_all(half);
  }
  return answer;
}

} // namespace steadfast::store
