#pragma once

#include "store/lmdb/lmdb.hpp"
#include "store/lmdb/schema.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace steadfast::store {

/// Tasks that cannot be read, by number, and why.
using damaged_tasks = std::map<std::uint64_t, std::string>;

/// Where the changes of a commit are durable before the data file has them: a write-ahead log. Its entries all go on
/// from one state of the data file. (Mohan et al., "ARIES", 1992; redo only.) For the thread that commits.
class commit_log {
public:
  virtual ~commit_log() = default;

  /// Of the entries since begin().
  virtual std::size_t size() const = 0;
  /// False: such a commit is durable only by what is in the data file.
  virtual bool has_room_for(std::size_t bytes) const = 0;
  /// Durable on return. Throws lmdb::error or store_error; then it may not be known whether it is there. REQUIRES:
  /// has_room_for it.
  virtual void add(std::string_view entry) = 0;
  /// Entries go on from this state now, which has those before.
  virtual void begin(std::uint64_t state) = 0;
};

/// The log of a store that is kept elsewhere. The data file is only its memory, and can be made again at any time: so
/// the log gets each commit, and one for which it has no room is saved at once as well. What was added is durable once
/// settle() has returned, and until then nobody must see it.
class outside_log : public commit_log {
public:
  /// Waits until it is known what became of all that was added. Throws store_error if one of them was not made; then
  /// entries() ends before it.
  virtual void settle() = 0;
  /// Those since begin(), in order.
  virtual const std::vector<std::string>& entries() const = 0;
  /// Puts all that was ever committed into the tables, which are empty. Returns the tasks that are damaged, which are
  /// in no list. Throws lmdb::error or store_error.
  virtual damaged_tasks fill(lmdb::transaction& txn, const tables& in) = 0;
  /// The same for tables that have what was there at an earlier moment. False: they have to be filled again.
  virtual bool go_on(lmdb::transaction& txn, const tables& in, damaged_tasks& damaged) = 0;
};

} // namespace steadfast::store
