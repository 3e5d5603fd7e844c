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

/// Who holds a partition, as of the moment at which it was read.
struct holding {
  std::int64_t number = 0;
  std::int64_t epoch = 0;
  std::string holder; ///< empty: nobody

  bool operator==(const holding&) const = default;
};

/// By number. Throws store_error.
std::vector<holding> who_holds_what(connection& c);

/// What a partition shows; nothing: there is no such partition. In one statement, so that all of it is of one moment.
/// Throws store_error.
std::optional<shown_partition> look_at(connection& c, std::int64_t number);

/// What a server that takes writes has of a partition.
struct seen_partition {
  std::string server;
  std::string identity; ///< of the store
  shown_partition shown;
};
using known_of_store = std::function<acknowledged(const std::string& identity)>;
/// Why the server is refused: it has less than is known. Empty: it is not, or it has no store. Throws store_error.
std::string why_lost(connection& c, const std::string& schema, std::int64_t number, const known_of_store& known);
/// On each server that takes writes now and has the store: more than one if a former primary came back, and the
/// newest first. Those that do not answer are left out.
std::vector<seen_partition> look_at_servers(const place& where, std::int64_t number, const std::string& name,
                                            const session_limits& limits, const monotonic_clock& now);

/// The settings of an owner.
struct owner_settings {
  place where;
  std::string identity; ///< of the store: another one is refused
  /// Who writes. Two that run at once, and a process and the one before it, never have the same.
  std::string holder;
  session_limits limits;
  std::chrono::milliseconds take_lock_limit{1000}; ///< how long a taking waits for a commit under way
  std::shared_ptr<known_commits> known{};          ///< of the partition; null: nothing
  std::chrono::milliseconds rotate_lock_limit{50}; ///< how long a rotation waits for readers; commits wait behind it
};

std::vector<std::string> problems(const owner_settings& s);

/// A session with the server that has all that is known of the partition. Throws store_error.
connection open_where_known(const owner_settings& s, std::int64_t number, const std::string& name,
                            const session_limits& limits, const monotonic_clock& now);

/// The name by which the server shows the session of a partition's owner.
std::string session_name(const std::string& schema, std::int64_t number);
/// That of the sessions of those who wait for their turn, and of those who let all others first. `has`: how many
/// partitions their process has, which the name tells; of who has none it is as older releases look for it.
std::string name_of_waiting(const std::string& schema, std::int64_t number, std::uint32_t has = 0);
std::string name_of_last(const std::string& schema, std::int64_t number, std::uint32_t has = 0);
/// That of those who wait and have read ahead, and that of an owner who lets the partition go once somebody has.
std::string name_of_ready(const std::string& schema, std::int64_t number, std::uint32_t has = 0);
std::string name_of_leaving(const std::string& schema, std::int64_t number);
/// How many sessions have exactly that name. Throws store_error.
std::int64_t count_sessions(connection& c, const std::string& name);
/// Of each session but this one that waits for the partition, how many partitions its process has, the fewest first; 0
/// where it does not tell. `waiting`: of those who are ready, too; `ready`: of those alone. Throws store_error.
std::vector<std::uint32_t> waiting(connection& c, const std::string& schema, std::int64_t number);
std::vector<std::uint32_t> ready(connection& c, const std::string& schema, std::int64_t number);

/// Of one commit; more is refused, since all others would wait behind it.
inline constexpr std::size_t append_bytes_max = std::size_t{64} << 20U;
/// Empty: they fit into one commit.
std::string why_too_large(std::string_view changes);

/// What one commit wrote to the log. What the bytes say is for others to know.
struct log_record {
  std::int64_t commit = 0; ///< its number
  std::string changes;

  bool operator==(const log_record&) const = default;
};

/// The first statement of each transaction that writes for an owner: fails it if the partition is not his any more,
/// and makes a taking wait until it is over.
statement fence_of(std::int64_t number, std::int64_t epoch, const std::string& holder);

/// One partition and its one writer. Blocks its thread, up to the limits of its session for each round trip. Each call
/// connects anew where the connection was lost, except append(), rotate() and release(), of which what became of an
/// earlier one must be known first.
class partition {
public:
  partition(std::int64_t number, owner_settings settings, monotonic_clock now);

  /// From the holder that was seen: whether he may lose it is for the caller to judge. `heard` is the highest epoch and
  /// commit that any owner told of. Waits for a commit that is under way; later ones of the former owner fail. What is
  /// read after it is what every standby has that commits wait for.
  take_answer take(const holding& seen, const acknowledged& heard = {});

  /// Writes them to the log as one commit, or nothing. After `lost` it owns nothing; after `unknown` only resolve() may
  /// follow. REQUIRES: is_owned(), and no commit is under way.
  append_answer append(std::string_view changes);
  /// The same in two halves, with several under way at a time: each is made only if the one before it was. REQUIRES:
  /// is_owned(), and not too large.
  void begin_append(std::string_view changes);
  /// What became of the oldest. After `lost` and `unknown` none is under way any more: the same became of the later
  /// ones. REQUIRES: one is under way.
  append_answer end_append();
  std::size_t under_way() const { return under_way_.size(); }

  /// What became of the commit that ended as unknown: takes the partition over from itself, so that nothing sent under
  /// the epoch before can be made any more, and then looks for its number. As often as it must be, until the answer is
  /// none of busy and unreachable. Where nothing is in doubt it only makes sure of the partition.
  resolve_answer resolve();

  /// Empties the log that is not written now, and goes on in it, as one commit. Nothing waits longer for readers of it
  /// than the limit: the answer is then `not_made`, and the log that is written just grows on. REQUIRES: is_owned(),
  /// and the rows have all that was written before the last rotation.
  append_answer rotate();

  /// What was written after that commit, in order; commits that changed nothing are left out. Throws store_error; if
  /// another owner has the partition, it is owned no more, and if no answer came, only resolve() may follow. REQUIRES:
  /// is_owned(), and it was not emptied since.
  std::vector<log_record> read_log(std::int64_t after = 0);
  /// The living rows, by table and key, and the last commit that the rows have in them. Throws likewise. REQUIRES:
  /// is_owned().
  std::int64_t read_rows(const row_user& use);
  /// The last commit that the rows have in them. Likewise.
  std::int64_t read_until();
  /// What these statements find, which only read: while nobody takes the partition, as its owner; before it is taken
  /// here, as it is now. Likewise.
  std::vector<rows> read(std::vector<statement> statements, const char* what);
  /// Before it is taken: the living rows, and what the log has more. It is of one moment if nothing tells otherwise
  /// later (is_part_of()). Throws store_error. REQUIRES: nobody has taken it here.
  read_ahead read_rows_ahead(const row_user& use);
  std::vector<log_record> read_log_ahead(read_ahead& after);

  /// The store is elsewhere from now on, as one commit: nobody can take its one partition again. REQUIRES: is_owned().
  append_answer move_away(const std::string& where);

  /// Nobody has it then. If the server does not answer, the next owner takes it as from one that died.
  void release();

  bool is_owned() const { return state_ == state::owned; }
  /// Nobody else can have taken it by now: what was sent last of all that is known to be made was sent less than a
  /// lease ago, which a successor waits for from when he sees it (see succession). From any thread.
  bool is_surely_owned(std::chrono::milliseconds lease) const;
  bool is_in_doubt() const { return state_ == state::in_doubt; }
  const acknowledged& known() const { return known_; }
  std::int64_t number() const { return number_; }
  const owner_settings& settings() const { return settings_; }

private:
  enum class state : std::uint8_t {
    free,
    owned,
    in_doubt,    ///< of its last commit, or of its epoch, it is not known whether it was made
    server_lost, ///< for good
  };

  /// Whether what the server shows may be taken; the answer `taken` means: go on.
  using take_rule = std::function<take_answer(const shown_partition&)>;
  struct taken {
    take_answer answer;
    std::int64_t last = 0; ///< commit that was there, if it was taken
  };

  take_answer connect();
  /// By itself, and by others on this node.
  acknowledged all_known() const;
  void note_known();
  std::optional<shown_partition> look();
  take_answer raise_epoch(std::int64_t from);
  /// Looks, raises the epoch if the rule lets it, and looks once more. `if_faster`: the answer when somebody raised the
  /// epoch in between. `last_known`: commit that must be there.
  taken take_if(const take_rule& may, taking if_faster, std::int64_t last_known);
  void end_stalled_sessions();
  void send(std::vector<statement> statements);
  append_answer commit(std::vector<statement> statements);
  statement fence() const { return fence_of(number_, known_.epoch, settings_.holder); }
  /// The answers to statements that only read, while nobody takes the partition.
  std::vector<rows> read_as_owner(std::vector<statement> statements, const char* what);
  using reading = std::function<std::vector<rows>(std::vector<statement>)>;
  std::vector<log_record> read_log_by(const reading& read, std::int64_t after) const;
  std::int64_t read_rows_by(const reading& read, const row_user& use) const;
  void leave(state s);

  std::int64_t number_;
  owner_settings settings_;
  monotonic_clock now_;
  std::optional<connection> connection_;
  std::string last_server_; ///< that took writes
  state state_ = state::free;
  acknowledged known_;
  std::deque<std::chrono::steady_clock::time_point> under_way_; ///< when each was sent
  std::int64_t in_doubt_ = 0;                                   ///< commits after `known_`
  int log_ = 0;                                                 ///< which of the two is written
  static constexpr auto never = std::chrono::steady_clock::time_point::min();
  std::atomic<std::chrono::steady_clock::time_point> last_sign_{never}; ///< was sent then; never: it is not owned
};

} // namespace steadfast::store::postgres
