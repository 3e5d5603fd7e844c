#pragma once

#include "workflow/transition/draft.hpp"

#include <vector>

// Steps that are called again until their result is as wanted. docs/decisions/0007-waiting.md

namespace steadfast::workflow {

/// An attempt of step `i` succeeded: completes it, or lets it wait for its next call, or turns the task round after the
/// last. REQUIRES: the attempt was closed.
void complete_or_repeat(draft& x, std::size_t i, const blob& result, const std::vector<fact>& facts);

} // namespace steadfast::workflow
