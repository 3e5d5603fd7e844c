#pragma once

#include "store/contract/local_store.hpp"
#include "store/contract/options.hpp"
#include "store/postgres/connection.hpp"
#include "store/postgres/place.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace steadfast::store {

class postgres_engine;
class store_directory;

struct postgres_store_options {
  postgres::place where;
  std::string holder;                    ///< of this process: no other process ever has the same
  std::chrono::milliseconds lease{5000}; ///< how long without a sign of life until another may take over
  store_options limits;                  ///< `path`: a directory for the memory, for this process alone
  bool waits_for_server = false;         ///< also when none can be reached at first
  /// Asked before each look. True: it takes the store only if nobody else wants it. Empty: never.
  std::function<bool()> lets_others_first{};
};

/// Empty: the options make sense. Never names a password.
std::vector<std::string> problems(const postgres_store_options& o);

/// Why a store cannot be taken now.
struct no_turn {
  std::string why;
  std::string holder;           ///< who has it; empty: nobody, or no server answers
  std::uint32_t partitions = 0; ///< how many the store has; 0: no server answers
};

/// What one who waits for a partition says about his own process.
struct share {
  std::uint32_t has = 0; ///< how many partitions of the store it has; others are told
  bool wants = true;     ///< otherwise it only looks
  bool defers = true;    ///< to others that have read it already and have no more than this one
};

/// Waits for its turn to have one partition. For one thread at a time.
class partition_turn {
public:
  partition_turn(postgres_store_options o, std::uint32_t partition, std::shared_ptr<const store_directory> folder,
                 postgres::monotonic_clock now);
  partition_turn(const partition_turn&) = delete;
  partition_turn& operator=(const partition_turn&) = delete;
  ~partition_turn();

  /// Throws store_error.
  void look_first();

  /// How many partitions the store has. REQUIRES: look_first() or look() was called.
  std::uint32_t partitions() const;

  /// Returns the partition once it is taken. Null: it is another's turn, and `why` says whose. Among those who wait,
  /// those with fewer partitions come first (`workflow::may_take_share`). Throws store_error: somebody was faster, or
  /// no server answers; unless it is a fatal one, look() may be called again. REQUIRES: it has not been taken yet.
  std::unique_ptr<postgres_engine> look(const share& own, no_turn& why);

private:
  class looking;
  std::unique_ptr<looking> looking_;
};

/// Makes the turns of one process, which share one folder.
class partition_turns {
public:
  /// Throws store_error if another process has the folder.
  partition_turns(postgres_store_options o, postgres::monotonic_clock now);

  /// REQUIRES: this process neither has that partition nor waits for it, and the store that it had there is gone.
  std::unique_ptr<partition_turn> wait_for(std::uint32_t partition) const;

private:
  postgres_store_options options_;
  postgres::monotonic_clock now_;
  std::shared_ptr<const store_directory> folder_; ///< held by the partitions that were taken, too
};

/// Called between two looks while the store cannot be taken. Waits for that time, or less. False: gives up.
using wait_for_turn = std::function<bool(std::chrono::milliseconds, const no_turn&)>;

/// Waits until nobody has the store, and takes all of its partitions, in order. Whoever has the first gets the others
/// too, so that of two who wait, one has all. Empty: it was given up. Throws store_error: a fatal one, or at once when
/// the server cannot be reached at first or has no usable store, unless the options say to wait for that.
std::vector<std::shared_ptr<local_store>>
open_postgres_store(const postgres_store_options& o, const postgres::monotonic_clock& now, const wait_for_turn& wait);
/// The same, for programs that do more with the store than a node does.
std::vector<std::unique_ptr<postgres_engine>>
take_postgres_store(const postgres_store_options& o, const postgres::monotonic_clock& now, const wait_for_turn& wait);

} // namespace steadfast::store
