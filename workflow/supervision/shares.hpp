#pragma once

#include <cstdint>
#include <vector>

/// Which node has which partitions. Each node acts on its own share: it takes what is free, and lets go what another
/// needs more. So shares differ by at most one in the end, and as few partitions as possible move.
namespace steadfast::workflow {

/// Looks for which a free partition is left to those who have fewer. Who does not take it by then is slow, or gone.
inline constexpr std::uint32_t looks_for_others = 2;

/// A node that has `own` partitions may take a free one, whose holder let it go or is taken for dead: none of the
/// others that wait for it has fewer, or it was left to them long enough. `others`: how many each of them has. `looks`:
/// in how many looks before this one it could have been taken, and was left to them. If two nodes are of different
/// opinion, the fence decides: a wrong choice costs time and nothing else.
bool may_take_share(std::uint32_t own, const std::vector<std::uint32_t>& others, std::uint32_t looks);

/// A node that has `own` partitions should let one go that others wait for: one of them has at least two fewer, so that
/// it has no more than this one afterwards, and none has more, who would let one go instead. `waiting`: how many each
/// of them has.
bool should_let_go(std::uint32_t own, const std::vector<std::uint32_t>& waiting);

} // namespace steadfast::workflow
