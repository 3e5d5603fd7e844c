#include "store/journal/disk_reserve.hpp"

#include <fcntl.h>

#include <cerrno>
#include <initializer_list>

namespace steadfast::store {

namespace {

constexpr std::uint64_t chunk = 4 << 20; ///< allocated at once, so that the call is rare

std::uint64_t rounded_up(std::uint64_t bytes) {
  return (bytes + chunk - 1) / chunk * chunk;
}

} // namespace

bool disk_reserve::has_room_for(std::uint64_t used, std::uint64_t coming) {
  const std::uint64_t wanted = used + coming + kept_;
  if (!is_supported_ || wanted <= allocated_)
    return true;
  for (const auto end : {rounded_up(wanted), wanted}) {
    if (fallocate(file_, FALLOC_FL_KEEP_SIZE, 0, static_cast<off_t>(end)) == 0) {
      allocated_ = end;
      return true;
    }
    if (errno != ENOSPC && errno != EDQUOT && errno != EINTR) {
      is_supported_ = false;
      return true;
    }
  }
  return false;
}

} // namespace steadfast::store
