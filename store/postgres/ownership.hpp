#pragma once

#include "store/postgres/reply.hpp"

#include <cstdint>
#include <string>

// The rules of who may write a partition, and of what became of a commit, as functions of what was found. A partition
// has one owner at a time: the holder that its row names, under an epoch that rises with each taking. Each commit
// checks both in its own transaction, and has a number, one above that of the commit before.

namespace steadfast::store::postgres {

/// What is known of a partition because a server acknowledged it, or an owner said so. A server that shows less has
/// lost commits.
struct acknowledged {
  std::int64_t epoch = 0;
  std::int64_t commit = 0; ///< number of the last one

  bool operator==(const acknowledged&) const = default;
};

/// What the server shows of a partition.
struct shown_partition {
  std::int64_t epoch = 0;
  std::string holder; ///< empty: nobody
  std::int64_t commit = 0;
};

// ---- to take it ----

enum class taking : std::uint8_t {
  taken,
  moved,       ///< somebody else took it meanwhile, or let it go: look again who has it
  busy,        ///< a commit of its owner is under way: try again
  unreachable, ///< no server, or it is not known what became of it: try again
  server_lost, ///< this server has lost commits; nothing was written to it
};

/// Why a server that shows this is refused; empty: it has all that is known.
std::string lost_by_server(const shown_partition& shown, const acknowledged& known);

struct take_answer {
  taking result = taking::unreachable;
  std::string why;
};

/// Before anything is written. `taken` means: go on. `seen` is the epoch under which the caller saw it held.
take_answer may_take(const shown_partition& shown, std::int64_t seen, const acknowledged& known);

/// The same for an owner that takes the partition over from itself, to find out what became of a commit: whatever epoch
/// it has, the holder must be `me`.
take_answer may_take_again(const shown_partition& shown, const std::string& me, const acknowledged& known);

/// What became of the row's change; `rows` is how many it changed.
take_answer what_was_taken(transaction_end end, const reply& r, std::size_t rows);

/// What was read after the epoch of `known` was committed counts only if the partition was still ours in that moment:
/// else the last commit may be that of the next owner.
take_answer is_still_taken(const shown_partition& shown, const std::string& me, const acknowledged& known);

// ---- after it was taken again ----

enum class resolving : std::uint8_t {
  made,        ///< the commit in doubt is there, on as many disks as any other; of several, the first at least
  not_made,    ///< none is, and none ever will be: the same may be sent again
  lost,        ///< the partition is somebody else's: what became of the commit is for him to say
  busy,        ///< not yet known: try again
  unreachable, ///< not yet known: try again
  server_lost, ///< this server has lost commits
};

struct resolve_answer {
  resolving result = resolving::unreachable;
  std::string why;
};

resolve_answer of_taking(const take_answer& t);

/// From what was read after the partition was taken again, if it is still taken. `in_doubt`: so many commits.
resolve_answer what_became_of_it(std::int64_t shown_commit, std::int64_t in_doubt, const acknowledged& known);

// ---- who has read a partition before he takes it ----

/// Of which moment it is.
struct read_ahead {
  std::int64_t epoch = 0;
  std::int64_t until = 0;  ///< commit that the rows were of
  std::int64_t commit = 0; ///< last one that was read
};

/// What was read is part of what is there when the partition was taken: only the log has more. Under one epoch no
/// commit takes the place of another, and rows and logs change only with the commit that the rows are of. `taken`: as
/// it was found then, with the epoch before.
bool is_part_of(const read_ahead& read, const read_ahead& taken);

// ---- to write ----

enum class appending : std::uint8_t {
  applied,
  lost,     ///< the partition is somebody else's; nothing of this was written, and nothing ever will be
  not_made, ///< nothing of this was written, and nothing ever will be; `is_passing` says whether the same may go later
  unknown,  ///< resolve() finds out
};

struct append_answer {
  appending result = appending::unknown;
  std::string why;
  bool is_passing = false;
};

/// The first statement of each commit is the fence.
append_answer what_was_appended(const reply& r);

/// What a person is told when a server has lost commits.
std::string lost_by_server(const shown_partition& shown, const acknowledged& known);

} // namespace steadfast::store::postgres
