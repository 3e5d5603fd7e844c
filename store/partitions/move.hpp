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

// A store moves from files to a PostgreSQL server, or back, while no node runs on it. Where it goes, it is there as a
// whole or not at all; where it was, it stays whole and is marked, so that no node works on it any more. A move that
// was killed, or of which the outcome is not known, is gone on with by the same call again.

namespace steadfast::store {

/// Told now and then, in words, while a move works.
using move_progress = std::function<void(const std::string&)>;

struct move_answer {
  postgres::making result = postgres::making::unknown;
  std::string why;
  std::uint64_t rows = 0;  ///< that were copied; 0: the move had been made before
  std::uint64_t tasks = 0; ///< likewise
  std::string where;       ///< it is now
};

/// Why a store of so many partitions cannot be moved; empty: it can.
std::string why_not_moved(std::size_t partitions);

/// From files to a schema that has no store yet, as one transaction. `identity` is drawn by the caller. Throws
/// store_error before anything was made there: then nothing was changed.
move_answer move_to_server(const store_options& from, const postgres::place& to, const std::string& identity,
                           const postgres::monotonic_clock& now, const move_progress& tell);

/// From a server to a folder that is not there yet; `host` is the name of this machine. Throws likewise.
move_answer move_to_files(const postgres_store_options& from, const std::filesystem::path& to, const std::string& host,
                          const postgres::monotonic_clock& now, const wait_for_turn& wait, const move_progress& tell);

} // namespace steadfast::store
