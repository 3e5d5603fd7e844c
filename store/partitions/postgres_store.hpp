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
  std::string holder;                    ///< of this process: no other one ever has it
  std::chrono::milliseconds lease{5000}; ///< without a sign of life for so long, another may take over
  store_options limits;                  ///< `path`: of a directory for its memory, for this process alone
  bool waits_for_server = false;         ///< also if none can be reached at first
  /// It has the store only if nobody else wants it, as is asked before each look; empty: no.
  std::function<bool()> lets_others_first{};
};

/// Empty: they make sense. Never names a password.
std::vector<std::string> problems(const postgres_store_options& o);

/// Why a store cannot be taken now.
struct no_turn {
  std::string why;
  std::string holder;           ///< who has it; empty: nobody has, or no server answers
  std::uint32_t partitions = 0; ///< that the store has; 0: no server answers
};

/// What one who waits for a partition knows of himself.
struct share {
  std::uint32_t has = 0; ///< partitions of the store, which others are told
  bool wants = true;     ///< else he only looks
  bool defers = true;    ///< to others who have read it already, and have no more than he
};

/// One who waits for his turn to have one partition. For one thread at a time.
class partition_turn {
public:
  partition_turn(postgres_store_options o, std::uint32_t partition, std::shared_ptr<const store_directory> folder,
                 postgres::monotonic_clock now);
  partition_turn(const partition_turn&) = delete;
  partition_turn& operator=(const partition_turn&) = delete;
  ~partition_turn();

  /// Throws store_error.
  void look_first();

  /// How many partitions the store has. REQUIRES: he has looked.
  std::uint32_t partitions() const;

  /// He has it now. Null: it is not his turn, and `why` tells whose it is. Of those who wait, those who have fewer
  /// partitions come first (`workflow::may_take_share`). Throws store_error: somebody was faster, or the server is
  /// away; he may look again, unless it is a fatal one. REQUIRES: he has not got it before.
  std::unique_ptr<postgres_engine> look(const share& own, no_turn& why);

private:
  class looking;
  std::unique_ptr<looking> looking_;
};

/// Makes the turns of one process, which have one folder.
class partition_turns {
public:
  /// Throws store_error if another process has the folder.
  partition_turns(postgres_store_options o, postgres::monotonic_clock now);

  /// REQUIRES: this process neither has that partition nor waits for it; the store that it had there is gone.
  std::unique_ptr<partition_turn> wait_for(std::uint32_t partition) const;

private:
  postgres_store_options options_;
  postgres::monotonic_clock now_;
  std::shared_ptr<const store_directory> folder_; ///< held by what is taken, too
};

/// Called between two looks while the store cannot be taken. Waits for so long, or less. False: gives up.
using wait_for_turn = std::function<bool(std::chrono::milliseconds, const no_turn&)>;

/// Waits until nobody has the store, and takes it: all of its partitions, in order. Who has the first gets the others,
/// too, so that of two who wait one has all. None: it was given up. Throws store_error: a fatal one, or at once when
/// the server cannot be reached at first, or has no store that this program can use, unless that is waited for too.
std::vector<std::shared_ptr<local_store>>
open_postgres_store(const postgres_store_options& o, const postgres::monotonic_clock& now, const wait_for_turn& wait);
/// The same, for who does more with it than a node.
std::vector<std::unique_ptr<postgres_engine>>
take_postgres_store(const postgres_store_options& o, const postgres::monotonic_clock& now, const wait_for_turn& wait);

} // namespace steadfast::store
