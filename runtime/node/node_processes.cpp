#include "runtime/node/node_processes.hpp"

#include "steadfast/node_error.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

extern "C" { // missing in the header of glibc 2.36
#include <sys/pidfd.h>
}

#include <csignal>
#include <cstring>
#include <fstream>
#include <system_error>

namespace steadfast {

namespace {

/// A descriptor that is closed in the end.
class descriptor {
public:
  explicit descriptor(int number) : number_{number} {}
  ~descriptor() {
    if (number_ >= 0)
      close(number_);
  }
  descriptor(const descriptor&) = delete;
  descriptor& operator=(const descriptor&) = delete;

  int number() const { return number_; }
  bool is_open() const { return number_ >= 0; }

private:
  int number_;
};

/// The inputs of posix_spawn: no input, output to the log, a session of its own, no signal blocked or ignored.
class spawn_plan {
public:
  explicit spawn_plan(const std::filesystem::path& log) {
    constexpr mode_t private_file = 0600;
    posix_spawn_file_actions_init(&files_);
    posix_spawn_file_actions_addopen(&files_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&files_, STDOUT_FILENO, log.c_str(), O_WRONLY | O_CREAT | O_APPEND, private_file);
    posix_spawn_file_actions_adddup2(&files_, STDOUT_FILENO, STDERR_FILENO);
    posix_spawn_file_actions_addclosefrom_np(&files_, STDERR_FILENO + 1);
    posix_spawnattr_init(&attributes_);
    sigset_t usual;
    sigemptyset(&usual);
    sigaddset(&usual, SIGPIPE);
    sigaddset(&usual, SIGXFSZ);
    posix_spawnattr_setsigdefault(&attributes_, &usual);
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGDEF);
  }
  ~spawn_plan() {
    posix_spawn_file_actions_destroy(&files_);
    posix_spawnattr_destroy(&attributes_);
  }
  spawn_plan(const spawn_plan&) = delete;
  spawn_plan& operator=(const spawn_plan&) = delete;

  const posix_spawn_file_actions_t* files() const { return &files_; }
  const posix_spawnattr_t* attributes() const { return &attributes_; }

private:
  posix_spawn_file_actions_t files_{};
  posix_spawnattr_t attributes_{};
};

} // namespace

pid_t start_node(const std::filesystem::path& program, const std::filesystem::path& config,
                 const std::filesystem::path& log) {
  std::string name = "steadfast";
  std::string subcommand = "serve";
  std::string option = "-c";
  std::string file = config.string();
  char* const arguments[] = {name.data(), subcommand.data(), option.data(), file.data(), nullptr};
  const spawn_plan plan{log};
  pid_t process = 0;
  if (const int wrong = posix_spawn(&process, program.c_str(), plan.files(), plan.attributes(), arguments, environ))
    throw node_error{program.string() + " cannot be started: " + std::strerror(wrong)};
  return process;
}

std::optional<int> end_of(pid_t started) {
  int status = 0;
  if (waitpid(started, &status, WNOHANG) != started)
    return std::nullopt;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

std::optional<pid_t> process_behind(const std::filesystem::path& socket) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const auto path = socket.string();
  if (path.size() >= sizeof address.sun_path)
    return std::nullopt;
  path.copy(address.sun_path, path.size());
  const descriptor connection{::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  const auto* target = reinterpret_cast<const sockaddr*>(&address); // as this interface wants it
  ucred who{};
  socklen_t size = sizeof who;
  if (!connection.is_open() || connect(connection.number(), target, sizeof address) != 0
      || getsockopt(connection.number(), SOL_SOCKET, SO_PEERCRED, &who, &size) != 0)
    return std::nullopt;
  return who.pid;
}

bool stop_process(pid_t process, std::chrono::milliseconds limit) {
  const descriptor handle{pidfd_open(process, 0)}; // names this process, whatever the number means later
  if (!handle.is_open() || pidfd_send_signal(handle.number(), SIGTERM, nullptr, 0) != 0)
    return errno == ESRCH;
  pollfd end{handle.number(), POLLIN, 0};
  return poll(&end, 1, static_cast<int>(limit.count())) > 0;
}

std::string last_line(const std::filesystem::path& file) {
  std::ifstream in{file};
  std::string last;
  for (std::string line; std::getline(in, line);)
    if (!line.empty())
      last = line;
  return last;
}

} // namespace steadfast
