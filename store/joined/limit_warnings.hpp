#pragma once

#include "store/contract/state_store.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace steadfast::store {

/// What must hold where a step or a schedule starts tasks of a workflow with a limit, of which each partition counts
/// its own: their ids are not chosen by a person. A sentence each, of the newest versions. `s`: that store, or one
/// partition of it, which tells of its schedules. `about`: only of that workflow or schedule; empty: of all.
std::vector<std::string> limit_warnings(const state_store& s, std::size_t partitions, const std::string& about = {});

} // namespace steadfast::store
