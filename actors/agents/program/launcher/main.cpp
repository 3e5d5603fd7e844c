// Runs one program for a node, and makes sure that nothing of it, not even what it started and detached (setsid, double
// fork), outlives the call: neither the node, however that ended, nor complete-by, nor the program itself.
//
//     node -> guard -> keeper -> program -> whatever it starts
//
// Orphans among the keeper's descendants get the keeper as their parent, so it finds and kills them all. The guard is
// the same for the keeper: when one of the two is killed, the other kills everything. Only if both are killed at once
// can something outlive them.

#include "actors/agents/program/launcher/protocol.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <optional>

namespace {

using namespace steadfast::actors::launcher;

constexpr timespec look_again_after{0, 5'000'000}; ///< in case the news of a death is missed

sigset_t all_signals() {
  sigset_t all;
  sigfillset(&all);
  return all;
}

/// 0 when it cannot be told: it has just ended.
pid_t parent_of(pid_t pid) {
  std::array<char, 32> path{};
  std::snprintf(path.data(), path.size(), "/proc/%d/stat", pid);
  const int file = open(path.data(), O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return 0;
  std::array<char, 512> text{};
  const auto size = read(file, text.data(), text.size() - 1);
  close(file);
  // PID (NAME) STATE PARENT ...: the name may hold anything, also a bracket.
  const char* after_name = size > 0 ? std::strrchr(text.data(), ')') : nullptr;
  return after_name != nullptr && std::strlen(after_name) > 4 ? std::atoi(after_name + 4) : 0;
}

/// Children only: no other process gets their numbers until they are reaped, which only this thread does.
void kill_children() {
  DIR* processes = opendir("/proc");
  if (processes == nullptr)
    return;
  const auto self = getpid();
  while (const auto* entry = readdir(processes))
    if (const auto pid = std::atoi(entry->d_name); pid > 1 && parent_of(pid) == self)
      kill(pid, SIGKILL);
  closedir(processes);
}

/// Until there are no descendants: a process whose parent is killed becomes a child, and is killed next.
void kill_descendants() {
  sigset_t child_news;
  sigemptyset(&child_news);
  sigaddset(&child_news, SIGCHLD);
  for (;;) {
    pid_t ended = 0;
    while ((ended = waitpid(-1, nullptr, WNOHANG)) > 0) {
    }
    if (ended < 0 && errno == ECHILD)
      return;
    kill_children();
    sigtimedwait(&child_news, nullptr, &look_again_after);
  }
}

void tell(outcome what, int value) {
  const report r{what, value};
  static_cast<void>(!write(report_end, &r, sizeof r)); // if the node is gone nobody reads it
}

/// The keeper lets go of them, so that the node sees when the program has closed them.
void close_standard_ends() {
  close_range(STDIN_FILENO, STDERR_FILENO, 0);
}

class keeper {
public:
  explicit keeper(int guard) : guard_{guard} {}

  void run(const char* directory, char** program) {
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    sigset_t child_news;
    sigemptyset(&child_news);
    sigaddset(&child_news, SIGCHLD);
    news_ = signalfd(-1, &child_news, SFD_CLOEXEC | SFD_NONBLOCK);
    if (news_ < 0 || access("/proc/self/stat", R_OK) != 0)
      return tell(outcome::cannot_supervise, errno);
    if (is_over(0))
      return tell(outcome::not_begun, 0);
    start(directory, program);
    close_standard_ends();
    if (failed_ != 0)
      return tell(failed_in_directory_ ? outcome::no_directory : outcome::cannot_run, failed_);
    while (!status_ && !is_over(-1)) {
    }
    const auto status = status_; // one that was killed has none of its own
    kill_descendants();
    if (status)
      tell(outcome::ended, *status);
    else
      tell(outcome::killed, 0);
  }

private:
  /// Waits for news. True when there is a reason to kill.
  bool is_over(int limit_ms) {
    std::array<pollfd, 5> ends{pollfd{news_, POLLIN, 0}, pollfd{stop_end, POLLIN, 0}, pollfd{timer_end, POLLIN, 0},
                               pollfd{node_end, POLLIN, 0}, pollfd{guard_, POLLIN, 0}};
    if (poll(ends.data(), ends.size(), limit_ms) <= 0)
      return false;
    if (ends[0].revents != 0)
      reap();
    return ends[1].revents != 0 || ends[2].revents != 0 || ends[3].revents != 0 || ends[4].revents != 0;
  }

  void reap() {
    std::array<signalfd_siginfo, 8> news{};
    while (read(news_, news.data(), sizeof news) > 0) {
    }
    int status = 0;
    for (pid_t pid = 0; (pid = waitpid(-1, &status, WNOHANG)) > 0;)
      if (pid == program_)
        status_ = status;
  }

  /// vfork: the child shares our memory until it runs the program, and reports errors in it.
  void start(const char* directory, char** program) {
    const auto self = getpid();
    program_ = vfork();
    if (program_ < 0)
      failed_ = errno;
    if (program_ == 0)
      become(directory, program, self);
  }

  [[noreturn]] void become(const char* directory, char** program, pid_t parent) {
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    if (getppid() != parent)
      _exit(EXIT_FAILURE);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    close_range(report_end, UINT_MAX, 0);
    failed_in_directory_ = chdir(directory) != 0;
    if (!failed_in_directory_)
      execv(program[0], program);
    failed_ = errno;
    _exit(EXIT_FAILURE);
  }

  int guard_;
  int news_ = -1;
  volatile int failed_ = 0;
  volatile bool failed_in_directory_ = false;
  pid_t program_ = -1;
  std::optional<int> status_;
};

} // namespace

int main(int count, char** arguments) {
  if (count < 3)
    return EXIT_FAILURE;
  const auto all = all_signals();
  sigprocmask(SIG_SETMASK, &all, nullptr);
  close_range(first_free_end, UINT_MAX, 0);
  prctl(PR_SET_NAME, "steadfast-launcher", 0, 0, 0);
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); // and so of the program
  prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
  const int guard = static_cast<int>(syscall(SYS_pidfd_open, getpid(), 0)); // its header in glibc 2.36 is none for C++
  const auto child = guard < 0 ? -1 : fork();
  if (child == 0) {
    keeper{guard}.run(arguments[1], arguments + 2);
    return EXIT_SUCCESS;
  }
  close_standard_ends();
  if (child < 0)
    tell(outcome::cannot_supervise, errno);
  while (child > 0 && waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
  }
  kill_descendants(); // there are some if the keeper was killed
  return EXIT_SUCCESS;
}
