#pragma once

#include <cstddef>
#include <string>

namespace steadfast {

namespace store {
class state_store;
}
struct store_parts;

/// Warns of what must hold for tasks of workflows with a limit, if the store has several partitions. `about`: as
/// store::limit_warnings has it. Of a store, or one of so many partitions; then of all that a node has.
void log_limit_warnings(const store::state_store& s, std::size_t partitions, const std::string& about = {});
void log_limit_warnings(const store_parts& own, const std::string& about);

} // namespace steadfast
