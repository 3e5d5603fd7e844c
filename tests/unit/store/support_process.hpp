#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

namespace steadfast::store::test {

/// How a child ended, and every line it said before.
struct ending {
  int signal = 0; ///< 0: it exited
  int code = 0;
  std::vector<std::string> lines;
};

/// What a child is given to speak with.
using say = std::function<void(const std::string&)>;

/// Runs `work` in a child process. What it says has left the process when say() returns; its return value is the exit
/// code, an exception is exit code 99 and a line with its text.
ending in_child(const std::function<int(const say&)>& work);

/// The same with strace attached, which injects a fault: "fdatasync:error=EIO:when=3"; in calls about that file or folder alone, if
/// there is one. REQUIRES: has_strace().
ending in_child_with_fault(const std::string& fault, const std::function<int(const say&)>& work,
                           const std::string& path = {});

/// strace is installed and may attach to a child.
bool has_strace();

} // namespace steadfast::store::test
