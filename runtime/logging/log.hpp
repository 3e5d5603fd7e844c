#pragma once

#include "runtime/configuration/node_options.hpp"
#include "workflow/task/task.hpp"

#include <cstddef>
#include <string>

namespace steadfast {

/// Sets up the process's log. Until then, and in programs that never do, warnings and errors go to standard error as
/// text. Again: from then on it is like that. Throws node_error when the file cannot be opened; the log is as it was
/// then.
void start_log(const log_options& o);

/// One line; level is trace, debug, info, warning or error.
void log_line(const std::string& level, const std::string& text);

/// One line about a task, with its id, workflow and state as fields.
void log_task(const std::string& event, const workflow::task& t, const std::string& detail);

/// Lines that the process's log has not: a slow disk gave them no turn, or a full one took them not. Those that waited
/// for an earlier start_log() are not counted.
std::size_t log_lines_lost();

} // namespace steadfast
