#pragma once

#include "store/contract/options.hpp"
#include "workflow/task/partition.hpp"

namespace steadfast::store {

/// What one partition of a store gets: an equal share of what bounds all of them together. Its path is as it was.
store_options share_of(const store_options& of_all, const workflow::partition& p);

} // namespace steadfast::store
