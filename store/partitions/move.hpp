#pragma once

#include "store/contract/options.hpp"
#include "store/partitions/postgres_store.hpp"
#include "store/postgres/place.hpp"
#include "store/postgres/schema.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

// A store moves from files to a PostgreSQL server, or back, while no node runs on it. At its new place it is there as a
// whole or not at all; at its old place it stays whole and is marked, so that no node works on it any more. A move that
// was killed, or whose outcome is unknown, is continued by calling it again.

namespace steadfast::store {

/// Called now and then while a move works, with a text for people.
using move_progress = std::function<void(const std::string&)>;

struct move_answer {
  postgres::making result = postgres::making::unknown;
  std::string why;
  std::uint64_t rows = 0;  ///< how many were copied; 0: the move had been made before
  std::uint64_t tasks = 0; ///< how many were copied; 0: the move had been made before
  std::string where;       ///< where the store is now
};

/// Why a store with that many partitions cannot be moved; empty: it can.
std::string why_not_moved(std::size_t partitions);

/// From files to a schema that has no store yet, in one transaction. `identity` is drawn by the caller. Throws
/// store_error only before anything was made on the server: then nothing was changed.
move_answer move_to_server(const store_options& from, const postgres::place& to, const std::string& identity,
                           const postgres::monotonic_clock& now, const move_progress& tell);

/// From a server to a folder that does not exist yet; `host` is the name of this machine. Throws as move_to_server().
move_answer move_to_files(const postgres_store_options& from, const std::filesystem::path& to, const std::string& host,
                          const postgres::monotonic_clock& now, const wait_for_turn& wait, const move_progress& tell);

} // namespace steadfast::store
