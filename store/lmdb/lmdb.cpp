#include "store/lmdb/lmdb.hpp"

#include <lmdb.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <mutex>

namespace steadfast::store::lmdb {

namespace {

constexpr unsigned tables_max = 64;
constexpr unsigned readers_max = 254;
constexpr MDB_dbi free_list = 0;

void check(int code, const char* doing) {
  if (code != MDB_SUCCESS)
    throw error{doing, code};
}

MDB_val to_val(std::string_view bytes) {
  return {bytes.size(), const_cast<char*>(bytes.data())}; // LMDB only reads it
}

std::string_view to_view(const MDB_val& v) {
  return {static_cast<const char*>(v.mv_data), v.mv_size};
}

/// An assertion of LMDB failed: to go on would be to read and write anywhere.
void end_with_words(MDB_env* env, const char* what) {
  constexpr int disk_failed = 74; // EX_IOERR
  const char* path = "";
  mdb_env_get_path(env, &path);
  std::fprintf(
    stderr,
    "steadfast: the data file of the store at %s is damaged (%s): restore a copy of the store with `steadfast store"
    " restore COPY --to FOLDER`\n",
    path, what);
  std::_Exit(disk_failed);
}

std::uint64_t pages_of(MDB_txn* txn, MDB_dbi dbi) {
  MDB_stat stat{};
  check(mdb_stat(txn, dbi, &stat), "count pages");
  return stat.ms_branch_pages + stat.ms_leaf_pages + stat.ms_overflow_pages;
}

} // namespace

error::error(const std::string& doing, int code) : std::runtime_error{doing + ": " + mdb_strerror(code)}, code_{code} {}

bool error::is_map_full() const {
  return code_ == MDB_MAP_FULL;
}

bool error::is_disk_full() const {
  return code_ == ENOSPC || code_ == EDQUOT || code_ == EFBIG;
}

bool error::is_passing() const {
  return code_ == MDB_READERS_FULL || code_ == MDB_TXN_FULL || code_ == MDB_BAD_VALSIZE || code_ == ENOMEM;
}

// ---- environment ----

environment::environment(const environment_settings& settings) {
  check(mdb_env_create(&env_), "create the environment");
  try {
    check(mdb_env_set_maxdbs(env_, tables_max), "set the number of tables");
    check(mdb_env_set_maxreaders(env_, readers_max), "set the number of readers");
    check(mdb_env_set_mapsize(env_, settings.map_size), "set the map size");
    check(mdb_env_set_assert(env_, end_with_words), "say what to do when pages are damaged");
    const unsigned flags = MDB_NOTLS | (settings.read_only ? MDB_RDONLY : 0U) | (settings.lock ? 0U : MDB_NOLOCK)
                           | (settings.sync ? 0U : MDB_NOSYNC);
    check(mdb_env_open(env_, settings.directory.c_str(), flags, 0600), "open the data file");
  } catch (...) {
    mdb_env_close(env_);
    throw;
  }
}

environment::~environment() {
  mdb_env_close(env_);
}

std::uint64_t environment::map_size() const {
  MDB_envinfo info{};
  check(mdb_env_info(env_, &info), "ask for the map size");
  return info.me_mapsize;
}

void environment::set_map_size(std::uint64_t bytes) {
  const std::unique_lock lock{gate_};
  check(mdb_env_set_mapsize(env_, bytes), "set the map size");
}

bool environment::try_set_map_size(std::uint64_t bytes) {
  const std::unique_lock lock{gate_, std::try_to_lock};
  if (!lock.owns_lock())
    return false;
  check(mdb_env_set_mapsize(env_, bytes), "set the map size");
  return true;
}

std::uint64_t environment::page_size() const {
  MDB_stat stat{};
  check(mdb_env_stat(env_, &stat), "ask for the page size");
  return stat.ms_psize;
}

std::uint64_t environment::pages_in_file() const {
  MDB_envinfo info{};
  check(mdb_env_info(env_, &info), "ask for the last page");
  return info.me_last_pgno + 1;
}

std::uint64_t environment::last_transaction() const {
  MDB_envinfo info{};
  check(mdb_env_info(env_, &info), "ask for the last transaction");
  return info.me_last_txnid;
}

std::size_t environment::clear_stale_readers() {
  int cleared = 0;
  check(mdb_reader_check(env_, &cleared), "clear stale readers");
  return static_cast<std::size_t>(cleared);
}

int environment::file() const {
  int fd = -1;
  check(mdb_env_get_fd(env_, &fd), "ask for the data file");
  return fd;
}

// Where the sync of a new head failed, LMDB puts the old one back, but unsynced: the disk may keep the new one. And a
// head that the kernel takes for written may not be. The pages of a commit that does not count would then be written
// over by the next, while a power cut can bring its head back. So the heads are written once more, which also the
// kernel takes for a change.
void environment::sync_heads() {
  std::string heads(2 * page_size(), '\0');
  const auto size = static_cast<ssize_t>(heads.size());
  const bool is_synced = pread(file(), heads.data(), heads.size(), 0) == size
                         && pwrite(file(), heads.data(), heads.size(), 0) == size && fsync(file()) == 0;
  if (!is_synced)
    throw error{"sync the head of the data file", errno == 0 ? EIO : errno};
}

void environment::copy_to(int file) const {
  const std::shared_lock lock{gate_};
  check(mdb_env_copyfd2(env_, file, MDB_CP_COMPACT), "copy");
}

// ---- transaction ----

transaction::transaction(const environment& env, bool read_only) {
  if (!read_only) {
    check(mdb_txn_begin(env.env_, nullptr, 0, &txn_), "begin a write");
    return;
  }
  for (;;) {
    gate_ = std::shared_lock{env.gate_};
    const int code = mdb_txn_begin(env.env_, nullptr, MDB_RDONLY, &txn_);
    if (code != MDB_MAP_RESIZED) {
      check(code, "begin a read");
      return;
    }
    gate_ = {};
    const std::unique_lock lock{env.gate_}; // another process made the file larger: adopt its size
    check(mdb_env_set_mapsize(env.env_, 0), "adopt the map size");
  }
}

transaction transaction::reading(const environment& env) {
  return transaction{env, true};
}

transaction transaction::writing(environment& env) {
  return transaction{env, false};
}

std::uint64_t transaction::number() const {
  return mdb_txn_id(txn_);
}

transaction::~transaction() {
  end();
}

void transaction::end() noexcept {
  if (txn_ != nullptr)
    mdb_txn_abort(txn_);
  txn_ = nullptr;
}

void transaction::commit() {
  MDB_txn* ending = txn_;
  txn_ = nullptr; // it is gone, however the commit ends
  check(mdb_txn_commit(ending), "commit");
}

std::optional<table> transaction::open_table(const std::string& name) const {
  table t;
  const int code = mdb_dbi_open(txn_, name.empty() ? nullptr : name.c_str(), 0, &t.dbi);
  if (code == MDB_NOTFOUND)
    return std::nullopt;
  check(code, "open a table");
  return t;
}

table transaction::make_table(const std::string& name) {
  table t;
  check(mdb_dbi_open(txn_, name.c_str(), MDB_CREATE, &t.dbi), "make a table");
  return t;
}

std::optional<std::string_view> transaction::get(table t, std::string_view key) const {
  MDB_val k = to_val(key);
  MDB_val v{};
  const int code = mdb_get(txn_, t.dbi, &k, &v);
  if (code == MDB_NOTFOUND)
    return std::nullopt;
  check(code, "read");
  return to_view(v);
}

void transaction::put(table t, std::string_view key, std::string_view value) {
  if (listener_ != nullptr)
    listener_->on_put(t, key, value.empty() ? std::string_view{} : get(t, key).value_or(std::string_view{}), value);
  MDB_val k = to_val(key);
  MDB_val v = to_val(value);
  check(mdb_put(txn_, t.dbi, &k, &v, 0), "write");
}

void transaction::append(table t, std::string_view key, std::string_view value) {
  if (listener_ != nullptr)
    listener_->on_put(t, key, {}, value);
  MDB_val k = to_val(key);
  MDB_val v = to_val(value);
  int code = mdb_put(txn_, t.dbi, &k, &v, MDB_APPEND);
  if (code == MDB_KEYEXIST) // it comes before another
    code = mdb_put(txn_, t.dbi, &k, &v, 0);
  check(code, "write");
}

bool transaction::erase(table t, std::string_view key) {
  MDB_val k = to_val(key);
  const int code = mdb_del(txn_, t.dbi, &k, nullptr);
  if (code == MDB_NOTFOUND)
    return false;
  check(code, "erase");
  if (listener_ != nullptr)
    listener_->on_erase(t, key);
  return true;
}

void transaction::empty(table t) {
  check(mdb_drop(txn_, t.dbi, 0), "empty a table");
}

std::uint64_t transaction::entries(table t) const {
  MDB_stat stat{};
  check(mdb_stat(txn_, t.dbi, &stat), "count entries");
  return stat.ms_entries;
}

std::uint64_t transaction::pages(table t) const {
  return pages_of(txn_, t.dbi);
}

std::uint64_t transaction::free_list_pages() const {
  return pages_of(txn_, free_list);
}

std::uint64_t transaction::free_pages() const {
  // A value of the free list is a native count followed by that many page numbers.
  std::uint64_t pages = 0;
  cursor c{*this, table{free_list}};
  for (bool found = c.first(); found; found = c.next())
    pages += c.value().size() / sizeof(std::size_t) - 1;
  return pages;
}

// ---- cursor ----

cursor::cursor(const transaction& txn, table t) {
  check(mdb_cursor_open(txn.txn_, t.dbi, &cursor_), "open a cursor");
}

cursor::~cursor() {
  mdb_cursor_close(cursor_);
}

bool cursor::move(int how) {
  MDB_val k = to_val(key_);
  MDB_val v{};
  const int code = mdb_cursor_get(cursor_, &k, &v, static_cast<MDB_cursor_op>(how));
  if (code == MDB_NOTFOUND)
    return false;
  check(code, "scan");
  key_ = to_view(k);
  value_ = to_view(v);
  return true;
}

bool cursor::first() {
  return move(MDB_FIRST);
}

bool cursor::last() {
  return move(MDB_LAST);
}

bool cursor::next() {
  return move(MDB_NEXT);
}

bool cursor::previous() {
  return move(MDB_PREV);
}

bool cursor::seek(std::string_view key) {
  if (key.empty()) // LMDB knows no empty key
    return first();
  key_ = key;
  return move(MDB_SET_RANGE);
}

bool cursor::seek_before(std::string_view key) {
  return seek(key) ? previous() : last();
}

} // namespace steadfast::store::lmdb
