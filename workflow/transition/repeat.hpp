#pragma once

#include "workflow/transition/draft.hpp"

#include <string>
#include <vector>

// What a result must be: steps that are called again until it is as wanted (docs/decisions/0007-waiting.md), and steps
// that have failed if it is not as expected.

namespace steadfast::workflow {

/// An attempt of step `i` succeeded: completes the step, or lets it wait for its next call, or turns the task round
/// after the last call. REQUIRES: the attempt was closed.
void complete_or_repeat(draft& x, std::size_t i, const blob& result, const std::vector<fact>& facts);

/// Why a success of step `i` counts as a failure: its result is not as the step expects. Empty: it is; or the task is
/// being undone, and whatever was done is reversed.
std::string why_unexpected(const draft& x, std::size_t i, const std::vector<fact>& facts);

/// How such an attempt ended.
attempt_outcome outcome_of_unexpected(const draft& x, std::size_t i);

/// Step `i` failed like this, for good or for now, and may have acted. REQUIRES: the attempt was closed.
void fail_unexpected(draft& x, std::size_t i, const std::string& why);

} // namespace steadfast::workflow
