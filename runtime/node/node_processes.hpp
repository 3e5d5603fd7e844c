#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>

// Nodes as processes of this host that outlive the command that started them.

namespace steadfast {

/// Starts `program serve -c config` in a session of its own; what it prints goes to the end of `log`. Throws
/// node_error.
pid_t start_node(const std::filesystem::path& program, const std::filesystem::path& config,
                 const std::filesystem::path& log);

/// The exit code of a process that start_node started, or 128 + signal; nothing: it runs.
std::optional<int> end_of(pid_t started);

/// The process that listens on the control socket; nothing: none does. The kernel says so, even if the process hangs.
std::optional<pid_t> process_behind(const std::filesystem::path& socket);

/// SIGTERM. True once the process is gone, false when it is still there after the limit.
bool stop_process(pid_t process, std::chrono::milliseconds limit);

/// The last non-empty line of a file.
std::string last_line(const std::filesystem::path& file);

} // namespace steadfast
