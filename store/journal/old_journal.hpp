#pragma once

#include "store/journal/directory.hpp"
#include "store/lmdb/lmdb.hpp"

#include <string>
#include <vector>

namespace steadfast::store {

/// The entries of a journal of storage formats 4 and 5, which go on from the state that the data file is in; but for
/// one that was being written when the process or the power went. Throws store_error when one in the middle is damaged.
std::vector<std::string> read_old_journal(const lmdb::environment& env, const store_directory& directory);

} // namespace steadfast::store
