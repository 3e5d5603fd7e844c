#pragma once

#include "store/lmdb/schema.hpp"

#include <filesystem>
#include <string>

namespace steadfast::store {

/// The store that a copy was made from goes on, so its epochs will be higher than those of the copy; and so may those
/// of a store that was restored from the same copy before. When a copy is opened to be worked on, all its epochs are
/// raised over them: by this much at least, and to store_options::epochs_from. What still runs under an older one is
/// refused.
inline constexpr std::uint64_t epoch_step = 1ULL << 24;

/// Writes into a fresh copy that it is one. The file is synced.
void mark_as_copy(const std::filesystem::path& directory, std::uint64_t map_size);

/// It is one no more: the store that it was made from is never worked on again. The file is synced. REQUIRES: nobody
/// has it open.
void unmark_copy(const std::filesystem::path& directory, std::uint64_t map_size);

/// If the store is a copy that was never worked on: raises the epochs of all leases and of the locks of all tasks that
/// have not ended, frees the leases, and leaves an alert that tells what may run again. REQUIRES: a write transaction.
void raise_epochs_of_copy(lmdb::transaction& txn, const tables& in, std::uint64_t epochs_from);

/// Of the store as a whole. Throws damaged_record. REQUIRES: a write transaction.
void leave_alert(lmdb::transaction& txn, const tables& in, const std::string& kind, const std::string& text);

} // namespace steadfast::store
