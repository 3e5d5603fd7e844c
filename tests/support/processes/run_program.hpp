#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace steadfast::tests {

/// Only what hangs takes so long, also on a busy machine.
inline constexpr std::chrono::seconds hang_limit{100};

struct program_end {
  int code = -1; ///< exit code; 128 + signal when it was killed
  std::string out;
  std::string err;
};

/// Runs a program to its end; it is killed after twice the time that only a hang takes. `environment` is added to ours.
program_end run_program(const std::string& program, const std::vector<std::string>& arguments,
                        const std::string& input = "", const std::vector<std::string>& environment = {});

/// A program that runs in parallel with the test; killed when it still runs at the end.
class running_program {
public:
  running_program(const std::string& program, const std::vector<std::string>& arguments,
                  const std::vector<std::string>& environment = {});
  ~running_program();
  running_program(const running_program&) = delete;
  running_program& operator=(const running_program&) = delete;

  /// SIGSTOP: it has stopped, with all its threads, when this returns.
  void signal(int number) const;
  /// Its exit code; nothing when it still runs after the limit.
  std::optional<int> wait(std::chrono::milliseconds limit);
  /// True once its standard error contains the text; false when it ended, or the limit is over.
  bool says(const std::string& text, std::chrono::milliseconds limit);
  /// What it wrote to standard error so far.
  const std::string& err();
  pid_t pid() const { return pid_; }

private:
  void read_err(int timeout_ms);

  pid_t pid_ = -1;
  int err_ = -1;
  std::string text_;
  std::optional<int> code_;
};

} // namespace steadfast::tests
