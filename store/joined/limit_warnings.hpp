#pragma once

#include "store/joined/joined_store.hpp"

#include <string>
#include <vector>

namespace steadfast::store {

/// What must hold where a step or a schedule starts tasks of a workflow with a limit, of which each partition counts
/// its own: their ids are not chosen by a person. A sentence each, of the newest versions. `about`: only of that
/// workflow or schedule; empty: of all.
std::vector<std::string> limit_warnings(const joined_store& s, const std::string& about = {});

} // namespace steadfast::store
