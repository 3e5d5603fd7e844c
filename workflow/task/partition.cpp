#include "workflow/task/partition.hpp"

#include "workflow/schedule/schedule.hpp"

#include <algorithm>

namespace steadfast::workflow {

namespace {

constexpr std::size_t key_max = 64; ///< bytes; an id that is too long keeps more of its beginning (child_id)

} // namespace

std::string_view partition_key(std::string_view id) {
  const auto root = id.substr(0, std::min(id.find('/'), id.size()));
  if (schedule_in(root))
    return root.substr(0, root.find('@'));
  return root.substr(0, key_max);
}

std::uint32_t partition_of(std::string_view id, std::uint32_t count) {
  std::uint64_t h = 0xcbf29ce484222325;
  for (const auto c : partition_key(id))
    h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  h = (h ^ (h >> 33U)) * 0xff51afd7ed558ccd;
  h = (h ^ (h >> 33U)) * 0xc4ceb9fe1a85ec53;
  return static_cast<std::uint32_t>((h ^ (h >> 33U)) % count);
}

} // namespace steadfast::workflow
