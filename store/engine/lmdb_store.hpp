#pragma once

#include "store/contract/local_store.hpp"
#include "store/contract/options.hpp"

#include <memory>

namespace steadfast::store {

/// Opens or makes a store on LMDB, migrating older formats. Throws store_error with the cause and what to do: another
/// process has it open, the file is damaged, the format is newer, the file system is not local, no permission.
std::unique_ptr<local_store> open_lmdb_store(const store_options& options);

} // namespace steadfast::store
