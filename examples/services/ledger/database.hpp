#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace services {

struct database_error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A SQLite database, used by one thread.
class database {
public:
  /// Opens or creates it; what is committed is synced.
  explicit database(const std::string& path);

  void run(const char* sql);

private:
  friend class statement;

  struct close {
    void operator()(sqlite3* handle) const { sqlite3_close(handle); }
  };
  std::unique_ptr<sqlite3, close> handle_;
};

/// A prepared statement. Bind what it asks for in order, then step; reset() makes it ready again.
class statement {
public:
  statement(const database& in, const char* sql);

  statement& bind(std::string_view text);
  statement& bind(std::uint64_t number);
  bool step(); ///< true: there is a row
  void reset();
  void run(); ///< steps once and resets

  std::string text(int column) const;
  std::uint64_t number(int column) const;

private:
  void check(int code) const;

  struct finalize {
    void operator()(sqlite3_stmt* handle) const { sqlite3_finalize(handle); }
  };
  sqlite3* database_;
  std::unique_ptr<sqlite3_stmt, finalize> handle_;
  int bound_ = 0;
};

} // namespace services
