#pragma once

#include "tests/support/processes/run_program.hpp"

#include <sys/types.h>

#include <chrono>
#include <string>
#include <vector>

namespace steadfast::tests {

/// A program at a terminal, and a person who types at it and reads what appears.
class pseudo_terminal {
public:
  struct size {
    unsigned short columns = 80;
    unsigned short lines = 24;
  };

  /// Throws std::system_error. `environment` adds to this process's.
  pseudo_terminal(const std::string& program, std::vector<std::string> arguments,
                  const std::vector<std::string>& environment, size s);
  ~pseudo_terminal();
  pseudo_terminal(const pseudo_terminal&) = delete;
  pseudo_terminal& operator=(const pseudo_terminal&) = delete;

  pid_t pid() const { return child_; } ///< 0: it has ended
  void type(const std::string& keys);
  void resize(size s);

  /// Waits until `text` has appeared after what was waited for last; false when it does not within the limit.
  bool shows(const std::string& text, std::chrono::milliseconds limit = hang_limit);
  /// Waits until the program reads single keys: before, Ctrl-D and Ctrl-C would be the terminal's own.
  bool reads_keys(std::chrono::milliseconds limit = hang_limit) const;
  /// As a shell has it: lines, echoed.
  bool is_as_shells_want() const;
  /// What has appeared since what was waited for last.
  std::string unread() const { return screen_.substr(read_); }
  /// All that has appeared.
  const std::string& screen() const { return screen_; }

  /// Waits for its end; its exit code, or -1 when it goes on.
  int wait(std::chrono::milliseconds limit = hang_limit);

private:
  bool read_more(std::chrono::milliseconds limit);

  pid_t child_ = 0;
  int terminal_ = -1;
  std::string screen_;
  std::size_t read_ = 0;
};

inline constexpr const char* ctrl_c = "\x03";
inline constexpr const char* ctrl_d = "\x04";
inline constexpr const char* arrow_up = "\x1b[A";

} // namespace steadfast::tests
