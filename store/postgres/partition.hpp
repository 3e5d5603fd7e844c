#pragma once

#include "store/postgres/connection.hpp"
#include "store/postgres/kept_rows.hpp"
#include "store/postgres/known_commits.hpp"
#include "store/postgres/ownership.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace steadfast::store::postgres {

/// Who holds a partition, as of the moment when that was read.
struct holding {
  std::int64_t number = 0;
  std::int64_t epoch = 0;
  std::string holder; ///< empty: nobody

  bool operator==(const holding&) const = default;
};

/// By number. Throws store_error.
std::vector<holding> who_holds_what(connection& c);

/// What a partition shows; nothing: there is no such partition. Read in one statement, so that all of it is as of one
/// moment. Throws store_error.
std::optional<shown_partition> look_at(connection& c, std::int64_t number);

/// What a server that takes writes has for a partition.
struct seen_partition {
  std::string server;
  std::string identity; ///< of the store
  shown_partition shown;
};
using known_of_store = std::function<acknowledged(const std::string& identity)>;
/// Why the server is refused: it has less than is known. Empty: it is not refused, or has no store. Throws store_error.
std::string why_lost(connection& c, const std::string& schema, std::int64_t number, const known_of_store& known);
/// Looks at each server that takes writes now and has the store. There is more than one if a former primary came back;
/// the newest is first. Servers that do not answer are left out.
std::vector<seen_partition> look_at_servers(const place& where, std::int64_t number, const std::string& name,
                                            const session_limits& limits, const monotonic_clock& now);

/// The settings of an owner.
struct owner_settings {
  place where;
  std::string identity; ///< of the store: another store is refused
  /// Who writes. No two processes ever have the same holder, whether they run at once or one after the other.
  std::string holder;
  session_limits limits;
  std::chrono::milliseconds take_lock_limit{1000}; ///< how long taking it waits for a commit under way
  std::shared_ptr<known_commits> known{};          ///< of the partition; null: nothing is known
  std::chrono::milliseconds rotate_lock_limit{50}; ///< how long a rotation waits for readers; commits wait behind it
};

std::vector<std::string> problems(const owner_settings& s);

/// A session with a server that has all that is known of the partition. Throws store_error.
connection open_where_known(const owner_settings& s, std::int64_t number, const std::string& name,
                            const session_limits& limits, const monotonic_clock& now);

/// The name by which the server shows the session of a partition's owner.
std::string session_name(const std::string& schema, std::int64_t number);
/// Names of the sessions of those who wait for their turn, and of those who let all others go first. `has`: how many
/// partitions their process has, which the name tells; without any, the name is the one that older releases look for.
std::string name_of_waiting(const std::string& schema, std::int64_t number, std::uint32_t has = 0);
std::string name_of_last(const std::string& schema, std::int64_t number, std::uint32_t has = 0);
/// Names of those who wait and have read ahead, and of an owner who lets the partition go once somebody has.
std::string name_of_ready(const std::string& schema, std::int64_t number, std::uint32_t has = 0);
std::string name_of_leaving(const std::string& schema, std::int64_t number);
/// How many sessions have exactly that name. Throws store_error.
std::int64_t count_sessions(connection& c, const std::string& name);
/// For each other session that waits for the partition, how many partitions its process has, the fewest first; 0 if it
/// does not tell. `waiting` includes those that are ready; `ready` has only those. Throws store_error.
std::vector<std::uint32_t> waiting(connection& c, const std::string& schema, std::int64_t number);
std::vector<std::uint32_t> ready(connection& c, const std::string& schema, std::int64_t number);

/// Of one commit. A larger one is refused, since all others would wait behind it.
inline constexpr std::size_t append_bytes_max = std::size_t{64} << 20U;
/// Empty: the changes fit into one commit.
std::string why_too_large(std::string_view changes);

/// What one commit wrote to the log. The meaning of the bytes is for others to know.
struct log_record {
  std::int64_t commit = 0; ///< its number
  std::string changes;

  bool operator==(const log_record&) const = default;
};

/// The first statement of each transaction that writes for an owner: it makes the transaction fail if the owner no
/// longer has the partition, and makes anybody who takes it wait until the transaction is over.
statement fence_of(std::int64_t number, std::int64_t epoch, const std::string& holder);

/// One partition and its only writer. A call blocks its thread, for each round trip up to the limits of the session.
/// Each call connects anew if the connection was lost, except append(), rotate() and release(): before these, what
/// became of an earlier call must be known.
class partition {
public:
  partition(std::int64_t number, owner_settings settings, monotonic_clock now);

  /// Takes the partition from the holder that was seen; whether that one may lose it is for the caller to judge.
  /// `heard` is the highest epoch and commit that any owner reported. Waits for a commit that is under way; later
  /// commits of the former owner fail. What is read afterwards is on every standby for which commits wait.
  take_answer take(const holding& seen, const acknowledged& heard = {});

  /// Writes the changes to the log as one commit, or not at all. After `lost` the partition is not owned; after
  /// `unknown` only resolve() may follow. REQUIRES: is_owned(), and no commit is under way.
  append_answer append(std::string_view changes);
  /// append() in two halves, with several under way at a time: each is made only if the one before it was. REQUIRES:
  /// is_owned(), and the changes are not too large.
  void begin_append(std::string_view changes);
  /// What became of the oldest one. After `lost` and `unknown` none is under way any more: the later ones ended the
  /// same way. REQUIRES: one is under way.
  append_answer end_append();
  std::size_t under_way() const { return under_way_.size(); }

  /// Finds out what became of the commit that ended as unknown: takes the partition over from itself, so that nothing
  /// sent under the earlier epoch can be made any more, and then looks for the commit's number. To be called again
  /// while the answer is busy or unreachable. If nothing is in doubt, it only makes sure that the partition is owned.
  resolve_answer resolve();

  /// Empties the log that is not in use and continues in it, as one commit. Readers of that log hold up nothing longer
  /// than the limit: then the answer is `not_made`, and the log in use just goes on growing. REQUIRES: is_owned(), and
  /// the rows have all that was written before the last rotation.
  append_answer rotate();

  /// What was written after that commit, in order, without commits that changed nothing. Throws store_error; if another
  /// owner has the partition, it is no longer owned, and if no answer came, only resolve() may follow. REQUIRES:
  /// is_owned(), and the log has not been emptied since that commit.
  std::vector<log_record> read_log(std::int64_t after = 0);
  /// The living rows, by table and key; returns the last commit that the rows include. Throws like read_log().
  /// REQUIRES: is_owned().
  std::int64_t read_rows(const row_user& use);
  /// The last commit that the rows include. Throws like read_log(). REQUIRES: is_owned().
  std::int64_t read_until();
  /// What these statements find, which only read. Once it is taken: as its owner, while nobody else takes it; before
  /// that: as the partition is now. Throws like read_log().
  std::vector<rows> read(std::vector<statement> statements, const char* what);
  /// Before the partition is taken: the living rows, and then what the log has beyond them. All of it is as of one
  /// moment unless is_part_of() later says otherwise. Throws store_error. REQUIRES: it has not been taken here.
  read_ahead read_rows_ahead(const row_user& use);
  std::vector<log_record> read_log_ahead(read_ahead& after);

  /// From now on the store is elsewhere, as one commit: nobody can take its only partition again. REQUIRES: is_owned().
  append_answer move_away(const std::string& where);

  /// Then nobody has it. If the server does not answer, the next owner takes it as from an owner that died.
  void release();

  bool is_owned() const { return state_ == state::owned; }
  /// True: nobody else can have taken it by now. The latest that is known to be made was sent less than a lease ago,
  /// and a successor waits for a lease from when it sees that (see succession). From any thread.
  bool is_surely_owned(std::chrono::milliseconds lease) const;
  bool is_in_doubt() const { return state_ == state::in_doubt; }
  const acknowledged& known() const { return known_; }
  std::int64_t number() const { return number_; }
  const owner_settings& settings() const { return settings_; }

private:
  enum class state : std::uint8_t {
    free,
    owned,
    in_doubt,    ///< it is not known whether its last commit, or its last epoch, was made
    server_lost, ///< for good
  };

  /// Whether the partition may be taken, given what the server shows; the answer `taken` means: go on.
  using take_rule = std::function<take_answer(const shown_partition&)>;
  struct taken {
    take_answer answer;
    std::int64_t last = 0; ///< the commit that was there, if it was taken
  };

  take_answer connect();
  /// What is known to this object, and to others on this node.
  acknowledged all_known() const;
  void note_known();
  std::optional<shown_partition> look();
  take_answer raise_epoch(std::int64_t from);
  /// Looks, raises the epoch if the rule allows it, and looks once more. `if_faster`: the answer if somebody raised the
  /// epoch in between. `last_known`: the commit that must be there.
  taken take_if(const take_rule& may, taking if_faster, std::int64_t last_known);
  void end_stalled_sessions();
  void send(std::vector<statement> statements);
  append_answer commit(std::vector<statement> statements);
  statement fence() const { return fence_of(number_, known_.epoch, settings_.holder); }
  /// The answers to statements that only read, while nobody else takes the partition.
  std::vector<rows> read_as_owner(std::vector<statement> statements, const char* what);
  using reading = std::function<std::vector<rows>(std::vector<statement>)>;
  std::vector<log_record> read_log_by(const reading& read, std::int64_t after) const;
  std::int64_t read_rows_by(const reading& read, const row_user& use) const;
  void leave(state s);

  std::int64_t number_;
  owner_settings settings_;
  monotonic_clock now_;
  std::optional<connection> connection_;
  std::string last_server_; ///< the last one that took writes
  state state_ = state::free;
  acknowledged known_;
  std::deque<std::chrono::steady_clock::time_point> under_way_; ///< when each was sent
  std::int64_t in_doubt_ = 0;                                   ///< how many commits after `known_`
  int log_ = 0;                                                 ///< which of the two is in use
  static constexpr auto never = std::chrono::steady_clock::time_point::min();
  std::atomic<std::chrono::steady_clock::time_point> last_sign_{never}; ///< when it was sent; never: it is not owned
};

} // namespace steadfast::store::postgres
