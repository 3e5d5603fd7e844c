#pragma once

#include <chrono>

namespace steadfast::workflow {

/// A length of time; never negative where a definition names one.
using span = std::chrono::milliseconds;

/// A moment on the node's wall clock, in milliseconds since 1970-01-01 UTC. Nothing in this folder reads a clock: `now`
/// comes in as an argument and never goes back while a process runs; in a cluster it follows the clock of the store's
/// node, and goes back only when that clock does.
using instant = std::chrono::time_point<std::chrono::system_clock, span>;

/// The value of an instant that is not set; it lies before every real one.
inline constexpr instant unset{};

/// Later than every real instant.
inline constexpr instant never = instant::max();

/// The end of the year 9999: later moments are refused as input, so that adding a span never overflows.
inline constexpr instant instant_max{span{253'402'300'799'999}};

} // namespace steadfast::workflow
