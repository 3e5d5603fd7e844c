#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

struct pg_result;

// What came back for statements that were sent together, and what that means.

namespace steadfast::store::postgres {

/// The rows of one statement; views live as long as it does.
class rows {
public:
  explicit rows(pg_result* taken) : result_{taken, &free} {} ///< takes ownership of it

  std::size_t size() const;
  /// Nothing stands for null.
  std::optional<std::string_view> bytes(std::size_t row, std::size_t column) const;
  /// Empty for null.
  std::string text(std::size_t row, std::size_t column) const;
  /// 0 for null. Throws store_error if the value is not a number.
  std::int64_t number(std::size_t row, std::size_t column) const;

private:
  static void free(pg_result* r);

  std::unique_ptr<pg_result, void (*)(pg_result*)> result_;
};

struct refusal {
  std::string code; ///< SQLSTATE, five characters
  std::string text;
  std::size_t statement = 0; ///< the first statement that failed
};

struct reply {
  std::vector<rows> results;      ///< of each statement, up to the first that failed
  std::optional<refusal> why_not; ///< set if a statement was refused
  std::string warning;            ///< the last warning that the server sent with it; empty: none
  std::string broken;             ///< why the connection was given up; empty: it was not
  bool is_complete = false;       ///< the server answered everything, and has said that it is ready for more
  std::size_t statements = 0;     ///< how many were sent
};

/// What became of a transaction.
enum class transaction_end : std::uint8_t {
  made,    ///< committed, as durably as the server was told to
  refused, ///< nothing of it was made, and nothing ever will be
  unknown, ///< it may have been made, or be made later, or be here and on no standby
};

/// Statements that were sent together are one transaction, committed at their end. It counts as refused only if a
/// statement itself failed and the server then said that it is done. A warning makes any outcome unknown: a server that
/// gave up waiting for its standby, and committed nevertheless, sends one.
transaction_end end_of(const reply& r);

/// A text for people; empty if all went well.
std::string why(const reply& r);

/// Whether the same may succeed a little later at the same server: after a lock, a deadlock, a lack of room or memory.
bool is_passing(const refusal& r);

} // namespace steadfast::store::postgres
