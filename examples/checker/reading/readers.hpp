#pragma once

#include "examples/checker/history/history.hpp"

#include <string>

namespace checker {

// Each adds one file to the history, and throws `unusable`.

void read_effects(history& into, const std::string& path);
void read_clients(history& into, const std::string& path);
void read_wakes(history& into, const std::string& path); ///< before the tasks, whose results it makes known
void read_tasks(history& into, const std::string& path);
void read_alerts(history& into, const std::string& path);

} // namespace checker
