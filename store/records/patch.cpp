// A patch is the sizes of the bytes before and after, then parts: so many bytes are the same, so many are dropped, so
// many are added, and those.

#include "store/records/patch.hpp"

#include "store/records/compact.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>

namespace steadfast::store {

namespace {

/// Where the two agree again, counted from their first difference.
struct meeting {
  std::size_t in_before = 0;
  std::size_t in_after = 0;
};

using word = std::uint64_t;

word word_at(std::string_view bytes, std::size_t at) {
  word w = 0;
  std::memcpy(&w, bytes.data() + at, sizeof w);
  return w;
}

/// Most of two records is the same, so it is looked at a word at a time.
std::size_t same_at_front(std::string_view a, std::string_view b) {
  const auto size = std::min(a.size(), b.size());
  std::size_t same = 0;
  for (; same + sizeof(word) <= size; same += sizeof(word))
    if (const auto differs = word_at(a, same) ^ word_at(b, same); differs != 0)
      return same + static_cast<std::size_t>(std::countr_zero(differs)) / 8; // little-endian, as CMakeLists.txt demands
  while (same < size && a[same] == b[same])
    ++same;
  return same;
}

std::size_t same_at_back(std::string_view a, std::string_view b) {
  const auto end = std::mismatch(a.rbegin(), a.rend(), b.rbegin(), b.rend());
  return static_cast<std::size_t>(end.first - a.rbegin());
}

/// Looks for a few bytes from further and further on, so that a short change is found soon and a long one, too.
meeting next_meeting(std::string_view before, std::string_view after) {
  constexpr std::size_t enough = 12; ///< bytes that are the same by more than chance
  constexpr std::size_t shift_max = 256;
  for (std::size_t ahead = 4; ahead + enough <= before.size(); ahead *= 2) {
    const auto found = after.substr(0, ahead + enough + shift_max).find(before.substr(ahead, enough));
    if (found == std::string_view::npos)
      continue;
    const auto earlier = same_at_back(before.substr(0, ahead), after.substr(0, found));
    return {ahead - earlier, found - earlier};
  }
  const auto last = same_at_back(before, after);
  return {before.size() - last, after.size() - last};
}

} // namespace

void append_patch(std::string& to, std::string_view before, std::string_view after) {
  compact_writer out{to};
  out.put(before.size());
  out.put(after.size());
  while (!after.empty()) {
    const auto same = same_at_front(before, after);
    before.remove_prefix(same);
    after.remove_prefix(same);
    const auto next = next_meeting(before, after);
    out.put(same);
    out.put(next.in_before);
    out.put(next.in_after);
    out.save_binary(after.data(), next.in_after);
    before.remove_prefix(next.in_before);
    after.remove_prefix(next.in_after);
  }
}

std::string patched(std::string_view before, std::string_view patch) {
  compact_reader in{patch};
  if (in.take() != before.size())
    throw damaged_record{"a change was made to other bytes"};
  const auto size = in.take();
  const auto take_from_before = [&](std::uint64_t count) {
    if (count > before.size())
      throw damaged_record{"a change reaches too far"};
    const auto taken = before.substr(0, count);
    before.remove_prefix(count);
    return taken;
  };
  std::string after;
  while (in.left() > 0) {
    after += take_from_before(in.take());
    take_from_before(in.take());
    after += in.take_view(in.take());
  }
  if (after.size() != size)
    throw damaged_record{"a change ends too early"};
  return after;
}

} // namespace steadfast::store
