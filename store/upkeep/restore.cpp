#include "store/upkeep/restore.hpp"

#include "store/engine/lmdb_engine.hpp"
#include "store/journal/migration.hpp"
#include "store/journal/recovery.hpp"
#include "store/journal/restored.hpp"
#include "store/journal/unsaved.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace steadfast::store {

namespace {

namespace fs = std::filesystem;

[[noreturn]] void cannot_restore(const fs::path& to, const std::string& why) {
  throw store_error{"cannot restore a store to " + to.string() + ": " + why, false};
}

/// The folder in which the data file is made, in that of the store; gone at the end.
class workshop {
public:
  explicit workshop(const store_directory& store) : path_{store.path() / "restoring"} {
    clear(); // of one that was killed
    if (mkdir(path_.c_str(), 0700) != 0)
      cannot_restore(store.path(), std::strerror(errno));
  }
  ~workshop() { clear(); }
  workshop(const workshop&) = delete;
  workshop& operator=(const workshop&) = delete;

  const fs::path& path() const { return path_; }

private:
  void clear() const {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }

  fs::path path_;
};

store_directory source(const fs::path& from) {
  auto d = store_directory::look_at(from);
  if (d.is_in_use())
    throw store_error{"the store at " + from.string()
                        + " is in use: `steadfast store copy FOLDER` makes a copy of it while it is",
                      false};
  return d;
}

store_directory target(const fs::path& to) {
  for (const char* name : {"data.mdb", "journal", "closed"})
    if (fs::exists(fs::symlink_status(to / name)))
      cannot_restore(to, "a store is there already, with its file `" + std::string{name}
                           + "`: move that folder away first, or name another one");
  return store_directory::take(to);
}

/// A compact copy with all that its journal has, marked as one; synced.
void make_data_file(const store_directory& from, const fs::path& folder, const store_options& options,
                    bool without_journal) {
  const auto map = options.size_max + 2 * from.file_size();
  const lmdb::environment env{{from.path(), map, true, false}};
  expect_format(lmdb::transaction::reading(env), store_format, false);
  const bool was_closed = from.closed() == store_directory::closed_state{env.last_transaction(), from.file_size()};
  const auto unsaved = unsaved_entries(env, from, was_closed || without_journal);
  const file_handle file{open((folder / "data.mdb").c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600)};
  if (file.get() < 0)
    throw store_error{"cannot make a data file in " + folder.string() + ": " + std::strerror(errno), false};
  env.copy_to(file.get());
  if (!unsaved.empty()) {
    lmdb::environment made{{folder, map, false, false}};
    auto txn = lmdb::transaction::writing(made);
    make_entries(txn, unsaved, from.path());
    txn.commit();
  }
  mark_as_copy(folder, map);
  if (fsync(file.get()) != 0)
    throw store_error{"cannot sync " + folder.string() + ": " + std::strerror(errno), false};
}

/// From here on a store is there.
void put_in_place(const fs::path& made, const store_directory& to) {
  std::error_code failed;
  fs::rename(made, to.data_file(), failed);
  if (failed)
    cannot_restore(to.path(), failed.message());
  sync_directory(to.path());
}

/// The newest alert of that kind, which opening the copy has left.
std::string alert_of(const state_store& store) {
  constexpr std::size_t looked_at = 10;
  for (const auto& a : store.alerts(true, looked_at))
    if (a.what.kind == "restored")
      return a.what.text;
  return {};
}

} // namespace

restored_store restore(const fs::path& from, const store_options& to, bool without_journal) {
  try {
    const auto copy = source(from);
    look_in_child(from, false, look::all);
    {
      const auto directory = target(to.path);
      const workshop folder{directory};
      make_data_file(copy, folder.path(), to, without_journal);
      put_in_place(folder.path() / "data.mdb", directory);
    }
    const lmdb_engine made{to};
    return {made.check(), alert_of(made)};
  } catch (const lmdb::error& e) {
    const bool is_full = e.is_disk_full();
    cannot_restore(to.path, is_full ? "its disk is full: make room on it" : e.what());
  }
}

} // namespace steadfast::store
