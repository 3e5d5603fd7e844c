#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace steadfast::store {

/// What stands in the folder of a store that is moved elsewhere: written before anything is made there, so that the
/// store is never worked on in two places.
struct move_mark {
  bool is_done = false; ///< else it is not known whether the store is there
  std::string identity; ///< that it has there
  std::string where;    ///< in words
};

/// Absent: it was not moved. Throws store_error when the mark cannot be read.
std::optional<move_mark> mark_of_move(const std::filesystem::path& store);
/// Durable on return. Throws store_error. REQUIRES: the caller has the store open.
void mark_move(const std::filesystem::path& store, const move_mark& mark);
/// It stays. Likewise.
void forget_move(const std::filesystem::path& store);
/// Throws store_error with what to do if it was moved, or may have been.
void refuse_moved(const std::filesystem::path& store);

} // namespace steadfast::store
