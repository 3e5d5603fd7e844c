#include "examples/services/ledger/database.hpp"

namespace services {

namespace {

[[noreturn]] void fail(sqlite3* handle, const std::string& what) {
  throw database_error{what + ": " + (handle ? sqlite3_errmsg(handle) : "out of memory")};
}

} // namespace

database::database(const std::string& path) {
  sqlite3* handle = nullptr;
  const auto code = sqlite3_open(path.c_str(), &handle);
  handle_.reset(handle);
  if (code != SQLITE_OK)
    fail(handle, "open " + path);
  sqlite3_busy_timeout(handle, 5000);
  run("PRAGMA locking_mode=EXCLUSIVE"); // a second process on the same database is refused
  run("PRAGMA journal_mode=WAL");
  run("PRAGMA synchronous=FULL");
}

void database::run(const char* sql) {
  if (sqlite3_exec(handle_.get(), sql, nullptr, nullptr, nullptr) != SQLITE_OK)
    fail(handle_.get(), sql);
}

statement::statement(const database& in, const char* sql) : database_{in.handle_.get()} {
  sqlite3_stmt* handle = nullptr;
  check(sqlite3_prepare_v2(database_, sql, -1, &handle, nullptr));
  handle_.reset(handle);
}

void statement::check(int code) const {
  if (code != SQLITE_OK)
    fail(database_, "database");
}

statement& statement::bind(std::string_view text) {
  check(sqlite3_bind_text64(handle_.get(), ++bound_, text.data(), text.size(), SQLITE_TRANSIENT, SQLITE_UTF8));
  return *this;
}

statement& statement::bind(std::uint64_t number) {
  check(sqlite3_bind_int64(handle_.get(), ++bound_, static_cast<sqlite3_int64>(number)));
  return *this;
}

bool statement::step() {
  const auto code = sqlite3_step(handle_.get());
  if (code == SQLITE_ROW || code == SQLITE_DONE)
    return code == SQLITE_ROW;
  const database_error failed{std::string{"database: "} + sqlite3_errmsg(database_)};
  reset();
  throw failed;
}

void statement::reset() {
  sqlite3_reset(handle_.get());
  bound_ = 0;
}

void statement::run() {
  step();
  reset();
}

std::string statement::text(int column) const {
  const auto* bytes = sqlite3_column_text(handle_.get(), column);
  const auto size = static_cast<std::size_t>(sqlite3_column_bytes(handle_.get(), column));
  return bytes ? std::string{reinterpret_cast<const char*>(bytes), size} : std::string{};
}

std::uint64_t statement::number(int column) const {
  return static_cast<std::uint64_t>(sqlite3_column_int64(handle_.get(), column));
}

} // namespace services
