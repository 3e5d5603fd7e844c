#pragma once

#include "runtime/configuration/node_options.hpp"
#include "workflow/task/task.hpp"

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace steadfast {

/// Sets up the process's log. Before that, warnings and errors go to standard error as text. May be called again, with
/// other options. Throws node_error if the file cannot be opened; then the log is as it was before.
void start_log(const log_options& o);

/// One line; level is trace, debug, info, warning or error.
void log_line(const std::string& level, const std::string& text);

/// A line that is a sentence as text, and an event with fields as JSON.
struct log_entry {
  using fields_type = std::vector<std::pair<std::string, std::string>>;
  std::string level;
  std::string text;
  std::string event{};
  fields_type fields{};
};
void log_event(const log_entry& e);

/// One line about a task, with its id, workflow and state as fields.
void log_task(const std::string& event, const workflow::task& t, const std::string& detail);

/// Lines that the process's log lost because the disk was slow or full. Those that waited for an earlier start_log()
/// are not counted.
std::size_t log_lines_lost();

} // namespace steadfast
