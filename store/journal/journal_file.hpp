#pragma once

#include "store/journal/directory.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

/// The file of a journal, as bytes.
namespace steadfast::store::journal_file {

inline constexpr const char* name = "journal";

/// Absent: there is no such file. Throws store_error.
std::optional<std::string> read_whole(const store_directory& directory);
/// Throws lmdb::error.
void write_at(int file, std::string_view bytes, std::size_t at);
/// Makes it so long, with all of its bytes written: the sync of an entry then changes nothing but its bytes. Throws
/// store_error when there is no room, or lmdb::error.
void fill(int file, std::size_t size, const store_directory& directory);

} // namespace steadfast::store::journal_file
