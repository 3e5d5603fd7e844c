#pragma once

#include <cstdint>
#include <vector>

/// Which node has which partitions. Each node acts on its own share: it takes what is free, and lets go what another
/// needs more. So in the end shares differ by at most one, and as few partitions as possible move.
namespace steadfast::workflow {

/// So many looks leave a free partition to those who have fewer. Whoever has not taken it by then is slow, or gone.
inline constexpr std::uint32_t looks_for_others = 2;

/// Whether a node that has `own` partitions may take a free one, whose holder let it go or counts as dead: none of the
/// others that wait for it has fewer, or it was left to them long enough. `others`: how many each of them has. `looks`:
/// in how many looks before this one it could have been taken, but was left to them. If two nodes disagree, the fence
/// decides: a wrong choice costs nothing but time.
bool may_take_share(std::uint32_t own, const std::vector<std::uint32_t>& others, std::uint32_t looks);

/// Whether a node that has `own` partitions should let one go for which others wait: one of them has at least two
/// fewer, so that afterwards it has no more than this node; and none has more, since that one would let one go instead.
/// `waiting`: how many each of them has.
bool should_let_go(std::uint32_t own, const std::vector<std::uint32_t>& waiting);

} // namespace steadfast::workflow
