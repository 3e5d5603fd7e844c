#pragma once

#include "store/contract/state_store.hpp"

#include <filesystem>

namespace steadfast::store {

/// Keeps the task in a file that only its owner can read, synced. Throws store_error: it is there already, or cannot be
/// written.
void write_export(const std::filesystem::path& to, const exported_task& x);

/// Throws store_error: it cannot be read, or write_export did not make it.
exported_task read_export(const std::filesystem::path& from);

} // namespace steadfast::store
