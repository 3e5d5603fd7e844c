#pragma once

#include "runtime/configuration/node_options.hpp"
#include "workflow/task/task.hpp"

#include <cstddef>
#include <string>

namespace steadfast {

/// Sets up the process's log. Before that, warnings and errors go to standard error as text. May be called again, with
/// other options. Throws node_error if the file cannot be opened; then the log is as it was before.
void start_log(const log_options& o);

/// One line; level is trace, debug, info, warning or error.
void log_line(const std::string& level, const std::string& text);

/// One line about a task, with its id, workflow and state as fields.
void log_task(const std::string& event, const workflow::task& t, const std::string& detail);

/// Lines that the process's log lost because the disk was slow or full. Those that waited for an earlier start_log()
/// are not counted.
std::size_t log_lines_lost();

} // namespace steadfast
