#pragma once

#include "store/contract/options.hpp"
#include "workflow/task/partition.hpp"

namespace steadfast::store {

/// The options of one partition: an equal share of each bound on the whole store. The path stays the same.
store_options share_of(const store_options& of_all, const workflow::partition& p);

} // namespace steadfast::store
