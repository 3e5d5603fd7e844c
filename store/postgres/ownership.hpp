#pragma once

#include "store/postgres/reply.hpp"

#include <cstdint>
#include <string>

// The rules of who may write a partition, and of what became of a commit, as functions of what was found. A partition
// has one owner at a time: the holder that its row names, under an epoch that rises whenever it is taken. Each commit
// checks both in its own transaction, and has a number, one higher than that of the commit before.

namespace steadfast::store::postgres {

/// What is known of a partition because a server acknowledged it, or because an owner reported it. A server that shows
/// less has lost commits.
struct acknowledged {
  std::int64_t epoch = 0;
  std::int64_t commit = 0; ///< number of the last commit

  bool operator==(const acknowledged&) const = default;
};

/// What the server shows for a partition.
struct shown_partition {
  std::int64_t epoch = 0;
  std::string holder; ///< empty: nobody
  std::int64_t commit = 0;
};

// ---- to take it ----

enum class taking : std::uint8_t {
  taken,
  moved,       ///< somebody else took it meanwhile, or it was let go: look again who has it
  busy,        ///< a commit of its owner is under way: try again
  unreachable, ///< no server answers, or it is not known what became of the attempt: try again
  server_lost, ///< this server has lost commits; nothing was written to it
};

/// Why a server that shows this is refused; empty: it has all that is known to be committed.
std::string lost_by_server(const shown_partition& shown, const acknowledged& known);

struct take_answer {
  taking result = taking::unreachable;
  std::string why;
};

/// Asked before anything is written. `taken` means: go on. `seen` is the epoch under which the caller saw it held.
take_answer may_take(const shown_partition& shown, std::int64_t seen, const acknowledged& known);

/// The same for an owner that takes the partition over from itself, to find out what became of a commit: the holder
/// must be `me`, whatever the epoch.
take_answer may_take_again(const shown_partition& shown, const std::string& me, const acknowledged& known);

/// What became of the change of the row; `rows` is how many rows were changed.
take_answer what_was_taken(transaction_end end, const reply& r, std::size_t rows);

/// What was read after the epoch of `known` was committed counts only if the partition was still ours at that moment:
/// otherwise the last commit may be that of the next owner.
take_answer is_still_taken(const shown_partition& shown, const std::string& me, const acknowledged& known);

// ---- after it was taken again ----

enum class resolving : std::uint8_t {
  made,        ///< the commit in doubt is there, as durable as any other; of several, at least the first is there
  not_made,    ///< none of them is there, and none ever will be: the same may be sent again
  lost,        ///< the partition has another owner: what became of the commit is for that one to say
  busy,        ///< not yet known: try again
  unreachable, ///< not yet known: try again
  server_lost, ///< this server has lost commits
};

struct resolve_answer {
  resolving result = resolving::unreachable;
  std::string why;
};

resolve_answer of_taking(const take_answer& t);

/// For what was read after the partition was taken again, if it is still taken. `in_doubt`: how many commits are.
resolve_answer what_became_of_it(std::int64_t shown_commit, std::int64_t in_doubt, const acknowledged& known);

// ---- whoever has read a partition before taking it ----

/// As of which moment it was read.
struct read_ahead {
  std::int64_t epoch = 0;
  std::int64_t until = 0;  ///< the commit that the rows were as of
  std::int64_t commit = 0; ///< the last commit that was read
};

/// Whether what was read is still part of the partition when it is taken, so that only the log has more. Under one
/// epoch no commit is replaced by another, and rows and logs change only together with the commit that the rows are as
/// of. `taken`: what was found when it was taken, with the epoch before that.
bool is_part_of(const read_ahead& read, const read_ahead& taken);

// ---- to write ----

enum class appending : std::uint8_t {
  applied,
  lost,     ///< the partition has another owner; nothing of this was written, and nothing ever will be
  not_made, ///< nothing of this was written, and nothing ever will be; `is_passing` says whether to try again later
  unknown,  ///< resolve() finds it out
};

struct append_answer {
  appending result = appending::unknown;
  std::string why;
  bool is_passing = false;
};

/// REQUIRES: the fence was the first statement of the commit.
append_answer what_was_appended(const reply& r);

/// What a person is told when a server has lost commits; empty: it has not.
std::string lost_by_server(const shown_partition& shown, const acknowledged& known);

} // namespace steadfast::store::postgres
