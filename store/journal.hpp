#pragma once

#include "store/directory.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace steadfast::store {

/// A file of entries that are durable one by one, at the cost of one sync and of the bytes in them: a write-ahead log. They
/// all go on from one state of the data file, and mean nothing for any other. (Mohan et al., "ARIES", 1992; redo only.)
class journal {
public:
  /// Makes the file if it is not there, and writes `size` bytes of it. Throws store_error or lmdb::error.
  journal(const store_directory& directory, std::size_t size);

  /// What was added since that state, in order, but for one that was being written when the process or the power went. Throws
  /// store_error when one in the middle is damaged.
  static std::vector<std::string> read(const store_directory& directory, std::uint64_t state);

  std::size_t size() const { return end_; } ///< bytes of the entries
  bool has_room_for(std::size_t bytes) const;
  /// Durable on return. Throws lmdb::error; then it is not known whether it is there. REQUIRES: has_room_for it.
  void add(std::string_view entry);

  /// Entries go on from this state now; those before are gone.
  void begin(std::uint64_t state);

private:
  file_handle file_;
  std::size_t size_max_;
  std::uint64_t state_ = 0;
  std::uint64_t entries_ = 0;
  std::size_t end_ = 0;
  std::string frame_;
};

} // namespace steadfast::store
