#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <string>

// What the kernel says of processes, in files of /proc.

namespace steadfast::tests {

/// What is in the file; nothing when its process ends while it is read.
std::string text_of(const std::filesystem::path& file);

/// User and system time of a process, in hundredths of a second.
long cpu_ticks(pid_t process);

/// How long the threads of this process that there are now could have run and had no processor, all together.
std::chrono::nanoseconds waited_for_processors();

} // namespace steadfast::tests
