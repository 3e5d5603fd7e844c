#pragma once

#include <sys/utsname.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <thread>
#include <vector>

namespace bench {

/// REQUIRES: at least one value, ascending. The smallest value that `p` per cent of the values do not exceed.
template <class Number>
Number percentile(const std::vector<Number>& sorted, int p) {
  const auto count = sorted.size();
  const auto rank = (count * static_cast<std::size_t>(p) + 99) / 100;
  return sorted[std::clamp<std::size_t>(rank, 1, count) - 1];
}

/// "machine: 2 cores, Linux 6.1.0 x86_64"
inline std::string machine_text() {
  utsname machine{};
  uname(&machine);
  return "machine: " + std::to_string(std::thread::hardware_concurrency()) + " cores, " + machine.sysname + " "
         + machine.release + " " + machine.machine;
}

} // namespace bench
