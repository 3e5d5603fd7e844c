#pragma once

#include <sys/resource.h>

#include <csignal>
#include <cstdint>

namespace steadfast::tests {

/// So many bytes may a file have that this process writes, for as long as this lives, as if the disk were full then:
/// what comes beyond is an error of the write.
class file_limit {
public:
  explicit file_limit(std::uint64_t bytes) {
    std::signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~file_limit() { setrlimit(RLIMIT_FSIZE, &before_); }
  file_limit(const file_limit&) = delete;
  file_limit& operator=(const file_limit&) = delete;

private:
  rlimit before_{};
};

} // namespace steadfast::tests
