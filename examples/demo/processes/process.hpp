#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace demo {

/// A child process. It never outlives this object, nor the program: the destructor kills it, and the kernel does when
/// the program itself is killed. Start one from the main thread only, since the kernel watches the starting thread.
class process {
public:
  process() = default;
  /// Both outputs go to the end of the file `log`. Throws std::system_error when the program cannot be started.
  process(const std::vector<std::string>& command, const std::filesystem::path& log);
  ~process();
  process(process&& other) noexcept;
  process& operator=(process&& other) noexcept;

  pid_t pid() const { return pid_; } ///< 0 when there is none
  bool is_running();
  std::string ending(); ///< "ended with exit code 1", "been killed by signal 9", "not ended"

  void signal(int number); ///< nothing when it has ended
  void kill();             ///< SIGKILL, and waits until it is gone
  /// SIGTERM, then SIGKILL when it is still there after the limit. Its exit code; none when it had to be killed.
  std::optional<int> stop(std::chrono::milliseconds limit);
  /// Waits for its end. Its exit code; none when it is still running or was killed.
  std::optional<int> wait(std::chrono::milliseconds limit);

private:
  void reap(int options);

  pid_t pid_ = 0;
  std::optional<int> status_; ///< of waitpid, once it has ended
};

/// The whole of a file; empty when there is none.
std::string read_file(const std::filesystem::path& file);

} // namespace demo
