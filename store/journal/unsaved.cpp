#include "store/journal/unsaved.hpp"

#include "store/journal/change_log.hpp"
#include "store/journal/journal.hpp"
#include "store/journal/migration.hpp"
#include "store/journal/old_journal.hpp"
#include "store/journal/recovery.hpp"
#include "store/journal/restored.hpp"
#include "store/records/record.hpp"

#include <utility>

namespace steadfast::store {

namespace {

using entry_list = std::vector<std::string>;

constexpr std::uint32_t names_journals_since = 6; ///< the format

entry_list unsaved_in(const lmdb::environment& env, const store_directory& directory, const journal_used& used) {
  return used.is_open ? journal::read(directory, used.name, env.last_transaction()) : entry_list{};
}

/// It has all of it now.
void put_journal_not_needed(lmdb::transaction& txn) {
  if (format_of(txn) < names_journals_since)
    return;
  auto used = used_journal(txn);
  if (std::exchange(used.is_open, false))
    put_used_journal(txn, used);
}

} // namespace

entry_list unsaved_entries(const lmdb::environment& env, const store_directory& directory, bool was_closed) {
  const auto format = format_of(lmdb::transaction::reading(env));
  if (!format || was_closed)
    return {}; // without a format it is new, or damaged, which others find
  if (*format < names_journals_since)
    return read_old_journal(env, directory);
  return unsaved_in(env, directory, used_journal(lmdb::transaction::reading(env)));
}

void make_entries(lmdb::transaction& txn, const entry_list& all, const std::filesystem::path& directory,
                  damaged_tasks* damaged) {
  if (all.empty())
    return;
  try {
    change_maker maker{txn, damaged};
    for (const auto& e : all)
      maker.make(e);
    maker.finish();
  } catch (const damaged_record& e) {
    throw damaged_file(directory, std::string{"its journal does not fit it: "} + e.what());
  }
}

journal_used used_journal(const lmdb::transaction& txn) {
  const auto meta = txn.open_table("meta");
  const auto bytes = meta ? txn.get(*meta, journal_key) : std::nullopt;
  const auto used = bytes ? readable<journal_used>(journal_key, *bytes) : std::nullopt;
  if (!used)
    throw store_error{"the record of the store's journal is " + std::string{bytes ? "damaged" : "missing"}
                        + ": restore a copy of the store with `steadfast store restore COPY --to FOLDER`",
                      false};
  return *used;
}

void put_used_journal(lmdb::transaction& txn, const journal_used& used) {
  txn.put(txn.make_table("meta"), journal_key, encode_record(journal_key, used));
}

bool has_unsaved(const lmdb::environment& env, const store_directory& directory) {
  const auto used = used_journal(lmdb::transaction::reading(env));
  return !unsaved_in(env, directory, used).empty();
}

void save_journal(lmdb::environment& env, const store_directory& directory) {
  const auto all = unsaved_entries(env, directory, false);
  auto txn = lmdb::transaction::writing(env);
  make_entries(txn, all, directory.path());
  txn.commit();
}

void take_in_journal(lmdb::environment& env, const store_directory& directory, bool was_closed) {
  if (!format_of(lmdb::transaction::reading(env)))
    return;
  const auto all = unsaved_entries(env, directory, was_closed);
  auto txn = lmdb::transaction::writing(env);
  make_entries(txn, all, directory.path());
  put_journal_not_needed(txn);
  txn.commit(); // writes nothing where nothing changed
}

void set_foreign_journal_aside(lmdb::environment& env, const tables& in, const store_directory& directory) {
  const auto used = used_journal(lmdb::transaction::reading(env));
  const auto there = journal::name_of_used(directory);
  if (!there || *there == used.name)
    return;
  const auto name = journal::set_aside(directory);
  auto txn = lmdb::transaction::writing(env);
  leave_alert(txn, in, "journal_set_aside",
              "the journal beside the data file was that of another one and is now the file " + name
                + ": what was acknowledged last, before this data file was put here, may be in it alone");
  txn.commit();
}

} // namespace steadfast::store
