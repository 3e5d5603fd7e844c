#pragma once

#include "store/contract/state_store.hpp"

#include <filesystem>
#include <string>

namespace steadfast::store {

/// Says what is wrong with the data file, and what to do.
store_error damaged_file(const std::filesystem::path& directory, const std::string& what);

/// Looks at the pages of the data file and how they hang together, without LMDB. Throws store_error for what is wrong.
void check_pages(const std::filesystem::path& directory);

/// Walks through all that is in the data file. Throws store_error or lmdb::error for what is wrong with its structure;
/// a truncated file may also end the process by SIGBUS, since LMDB reads through a memory map. With `locked`, another
/// process may be writing to it.
void walk_through(const std::filesystem::path& directory, bool locked);

/// At the pages and how they hang together, or also at every entry.
enum class look { structure, all };

/// The same in a child process, so that nothing that happens there can hurt this one. Throws store_error with what to
/// do when the file cannot be used.
void look_in_child(const std::filesystem::path& directory, bool locked, look how);

} // namespace steadfast::store
