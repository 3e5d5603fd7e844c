#pragma once

#include "workflow/task/clock_reading.hpp"

#include <string>

// By which clock a change must be decided.

namespace steadfast::workflow {

/// Why a change that was decided by one clock cannot be stored by the other; empty: it can. After a restart the store
/// may have another clock, by which too much or too little time seems to have passed; and a node that has long had no
/// answer may have drifted ahead of it.
std::string why_not_by(const clock_reading& decided, const clock_reading& stores);

} // namespace steadfast::workflow
