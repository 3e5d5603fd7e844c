#pragma once

#include <string>

namespace steadfast::tests {

/// What the test shows cannot be tried on this machine: says so, and CTest counts it as skipped if nothing in it
/// failed. The test returns after it.
void skip(const std::string& why);

} // namespace steadfast::tests
