#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <shared_mutex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

struct MDB_env;
struct MDB_txn;
struct MDB_cursor;

/// LMDB 0.9 as RAII. Default flags and MDB_NOTLS only, where the data file is the store: anything else gives up
/// durability (docs/storage-format.md).
namespace steadfast::store::lmdb {

/// A call of LMDB failed; nothing of the transaction it belongs to is written.
class error : public std::runtime_error {
public:
  error(const std::string& doing, int code);

  int code() const { return code_; }
  bool is_map_full() const;  ///< the map is too small for the transaction
  bool is_disk_full() const; ///< ENOSPC, the user's quota, or the limit of file sizes of the process
  bool is_passing() const;   ///< of memory, readers or the transaction's size: the same may work later, or in parts

private:
  int code_;
};

/// A table's handle; valid as long as its environment.
struct table {
  unsigned dbi = 0;
};

struct environment_settings {
  std::filesystem::path directory;
  std::uint64_t map_size = 0;
  bool read_only = false;
  bool lock = true; ///< false: nobody else may have it open; no lock file is touched
  bool sync = true; ///< false: a commit is only in memory, for a file that is thrown away with the process
};

class environment {
public:
  explicit environment(const environment_settings& settings);
  ~environment();
  environment(const environment&) = delete;
  environment& operator=(const environment&) = delete;

  std::uint64_t map_size() const;
  /// Waits for the read transactions of this process to end. REQUIRES: the caller has no transaction open.
  void set_map_size(std::uint64_t bytes);
  /// The same, but gives up at once when there is a read transaction. False: nothing was done.
  bool try_set_map_size(std::uint64_t bytes);

  std::uint64_t page_size() const;
  std::uint64_t pages_in_file() const; ///< of the last commit; free pages included
  std::uint64_t last_transaction() const;
  std::size_t clear_stale_readers(); ///< slots of killed processes; they would keep old pages alive
  int file() const;                  ///< descriptor of the data file
  /// Makes the disk have the heads that are seen here. Throws error.
  void sync_heads();
  /// A compact copy of one snapshot, free pages left out; not synced.
  void copy_to(int file) const;

private:
  friend class transaction;

  MDB_env* env_ = nullptr;
  mutable std::shared_mutex gate_; ///< shared by read transactions; exclusive to change the map
};

/// Is told of every change of a table. The views end with the call.
class change_listener {
public:
  virtual ~change_listener() = default;

  /// Before it is made. `before`: the value that is replaced, empty when there is none.
  virtual void on_put(table t, std::string_view key, std::string_view before, std::string_view value) = 0;
  virtual void on_erase(table t, std::string_view key) = 0;
};

/// A read transaction sees one snapshot; a write transaction is undone unless it is committed. Neither may outlive the
/// function that made it. Views into the map end with the transaction, or at its next write.
class transaction {
public:
  static transaction reading(const environment& env);
  static transaction writing(environment& env);
  ~transaction();
  transaction(const transaction&) = delete;
  transaction& operator=(const transaction&) = delete;

  /// Durable on return. Throws error; then nothing was written.
  void commit();

  /// Of a write its number, which grows with each; of a read that of the last write that it sees.
  std::uint64_t number() const;

  /// REQUIRES: the listener outlives the transaction, or another one, or none, takes its place.
  void tell(change_listener* listener) { listener_ = listener; }

  /// The empty name is the main table, whose keys are the names of all others.
  std::optional<table> open_table(const std::string& name) const;
  table make_table(const std::string& name);

  std::optional<std::string_view> get(table t, std::string_view key) const;
  void put(table t, std::string_view key, std::string_view value);
  /// The same for a new key that probably comes behind all others: pages are left full then, not half full.
  void append(table t, std::string_view key, std::string_view value);
  bool erase(table t, std::string_view key); ///< false: it was not there
  void empty(table t);                       ///< without telling anybody

  std::uint64_t entries(table t) const;
  std::uint64_t pages(table t) const;
  std::uint64_t free_list_pages() const; ///< pages that list the free pages
  std::uint64_t free_pages() const;      ///< walks the free list

private:
  friend class cursor;
  transaction(const environment& env, bool read_only);
  void end() noexcept;

  std::shared_lock<std::shared_mutex> gate_;
  MDB_txn* txn_ = nullptr;
  change_listener* listener_ = nullptr;
};

/// A position in a table. The moves answer whether there is an entry. REQUIRES: its transaction is still open, and
/// nothing is written through it while the cursor is used.
class cursor {
public:
  cursor(const transaction& txn, table t);
  ~cursor();
  cursor(const cursor&) = delete;
  cursor& operator=(const cursor&) = delete;

  bool first();
  bool last();
  bool next();
  bool previous();
  bool seek(std::string_view key);        ///< first entry at or after the key
  bool seek_before(std::string_view key); ///< last entry before the key

  std::string_view key() const { return key_; }
  std::string_view value() const { return value_; }

private:
  bool move(int how);

  MDB_cursor* cursor_ = nullptr;
  std::string_view key_;
  std::string_view value_;
};

} // namespace steadfast::store::lmdb
