#pragma once

#include <cstdint>

namespace steadfast::store {

/// Keeps blocks of the disk allocated beyond what the data file uses, so that running work can be recorded on a disk
/// that others have filled. Where the file system cannot do that, it does nothing and says yes.
class disk_reserve {
public:
  /// `kept` bytes stay allocated beyond the end of what is used.
  disk_reserve(int file, std::uint64_t kept) : file_{file}, kept_{kept} {}

  /// True: there are `coming` bytes after `used`, and the reserve after those. False: the disk is full.
  bool has_room_for(std::uint64_t used, std::uint64_t coming);

private:
  int file_;
  std::uint64_t kept_;
  std::uint64_t allocated_ = 0; ///< bytes of the file that are known to have blocks
  bool is_supported_ = true;
};

} // namespace steadfast::store
