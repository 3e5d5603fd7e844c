#pragma once

#include <string>

namespace steadfast {

namespace store {
class state_store;
}

/// Warns of what must hold for tasks of workflows with a limit, if the store has several partitions; null: another node
/// has it. `about`: as store::limit_warnings has it.
void log_limit_warnings(const store::state_store* store, const std::string& about);

} // namespace steadfast
