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
