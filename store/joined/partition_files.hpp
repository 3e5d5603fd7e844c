#pragma once

#include "store/contract/local_store.hpp"
#include "store/contract/options.hpp"
#include "store/upkeep/restore.hpp"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <vector>

// A store of several partitions in files: a folder that has a store for each, and a file, `partitions`, that says how
// many there are, so that one that goes missing is missed. Until all of them are there the file says that, too.

namespace steadfast::store {

/// Of any kind.
bool is_store_at(const std::filesystem::path& store);

/// Of the store there. 1: it is a whole one, or there is none. Throws store_error: that cannot be told.
std::uint32_t partitions_at(const std::filesystem::path& store);

/// Says it of a store whose partitions are all there. Throws store_error. REQUIRES: count > 1.
void write_partition_count(const std::filesystem::path& store, std::uint32_t count);

/// Each partition, in order; one store if it is whole. `wanted`: that a new store gets; 0: one, or as many as are
/// there. The partitions share what `of_all` says of sizes equally. Throws store_error.
std::vector<std::shared_ptr<local_store>> open_partitions(const store_options& of_all, std::uint32_t wanted = 0);

/// The store that is there, joined if it has several partitions; a new one gets so many (0: one). Likewise.
std::shared_ptr<local_store> open_store_files(const store_options& of_all, std::uint32_t of_new = 0);

/// Of partitions that are being made or copied, by who opens that folder alone. Throws store_error.
enum class partition_files : std::uint8_t { being_made, being_copied, complete };
void mark_partitions(const std::filesystem::path& store, std::uint32_t count, partition_files are);

/// restore() of a store, or of each partition of one.
restored_store restore_all(const std::filesystem::path& from, const store_options& to, bool without_journal);

} // namespace steadfast::store
