#pragma once

#include "store/journal/commit_log.hpp"
#include "store/journal/directory.hpp"
#include "store/lmdb/lmdb.hpp"
#include "store/lmdb/schema.hpp"
#include "store/records/stored.hpp"

#include <filesystem>
#include <string>
#include <vector>

/// What is only in the journal, and how the data file comes to have it.
namespace steadfast::store {

/// Throws store_error when the record is damaged or missing. REQUIRES: a data file since format 6.
journal_used used_journal(const lmdb::transaction& txn);
void put_used_journal(lmdb::transaction& txn, const journal_used& used);

/// Entries of the journal that the data file, of any format, has not. `was_closed`: there are none. Throws store_error
/// when the journal that it needs is not there.
std::vector<std::string> unsaved_entries(const lmdb::environment& env, const store_directory& directory,
                                         bool was_closed);
/// Makes their changes; the directory is named in refusals, `damaged` is as of a change_maker. Throws store_error when
/// they do not fit.
void make_entries(lmdb::transaction& txn, const std::vector<std::string>& all, const std::filesystem::path& directory,
                  damaged_tasks* damaged = nullptr);

/// Throws store_error when the journal that the data file needs is not there. REQUIRES: a data file since format 6.
bool has_unsaved(const lmdb::environment& env, const store_directory& directory);

/// Brings the commits that are only in the journal to the data file. Throws lmdb::error or store_error.
void save_journal(lmdb::environment& env, const store_directory& directory);

/// The same at open, for a data file of any format, which from then on needs no journal. `was_closed`: everything was
/// saved.
void take_in_journal(lmdb::environment& env, const store_directory& directory, bool was_closed);

/// A journal with entries that is not the one of this data file is renamed, with an alert: the data file was put in the
/// place of another one.
void set_foreign_journal_aside(lmdb::environment& env, const tables& in, const store_directory& directory);

} // namespace steadfast::store
