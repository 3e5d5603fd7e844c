#pragma once

#include "workflow/transition/draft.hpp"

#include <string>
#include <vector>

// What a result must be: steps that are called again until it is as wanted (docs/decisions/0007-waiting.md), and steps
// that have failed if it is not as expected.

namespace steadfast::workflow {

/// An attempt of step `i` succeeded: completes it, or lets it wait for its next call, or turns the task round after the
/// last. REQUIRES: the attempt was closed.
void complete_or_repeat(draft& x, std::size_t i, const blob& result, const std::vector<fact>& facts);

/// Why a success of step `i` is a failure: its result is not as the step expects. Empty: it is, or the task is undone,
/// and whatever was done is reversed.
std::string why_unexpected(const draft& x, std::size_t i, const std::vector<fact>& facts);

/// How the attempt ended then.
attempt_outcome outcome_of_unexpected(const draft& x, std::size_t i);

/// Step `i` has failed so, for good or for now, and may have acted. REQUIRES: the attempt was closed.
void fail_unexpected(draft& x, std::size_t i, const std::string& why);

} // namespace steadfast::workflow
