#include "actors/agents/program/launched_program.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <ctime>
#include <mutex>
#include <span>
#include <utility>

// The launcher as a file, in our memory: the library contains it, of the same build, so nothing has to be installed or
// found.
asm(R"(
  .pushsection .rodata
  .global steadfast_launcher_begin
  .global steadfast_launcher_end
steadfast_launcher_begin:
  .incbin ")" STEADFAST_LAUNCHER_FILE R"("
steadfast_launcher_end:
  .byte 0
  .popsection
)");
extern "C" const std::byte steadfast_launcher_begin;
extern "C" const std::byte steadfast_launcher_end;

namespace steadfast::actors {

namespace {

constexpr int lowest_kept = 16; ///< above the numbers under which the launcher gets its ends

/// The same descriptor, under a number that none of the launcher's ends has.
descriptor kept(int number) {
  const int high = number < 0 ? -1 : fcntl(number, F_DUPFD_CLOEXEC, lowest_kept);
  if (number >= 0)
    close(number);
  return descriptor{high};
}

struct pipe_ends {
  descriptor read;
  descriptor write;
  pipe_ends() {
    std::array<int, 2> ends{-1, -1};
    if (pipe2(ends.data(), O_CLOEXEC) == 0) {
      read = kept(ends[0]);
      write = kept(ends[1]);
    }
  }
  bool is_open() const { return read.is_open() && write.is_open(); }
};

descriptor this_process() {
  return kept(static_cast<int>(syscall(SYS_pidfd_open, getpid(), 0))); // its header in glibc 2.36 is none for C++
}

/// A file of the launcher that exists in memory only.
descriptor launcher_file() {
#ifndef MFD_EXEC
  constexpr unsigned MFD_EXEC = 0x10; // Linux 6.3; before, all such files could be executed
#endif
  constexpr auto name = "steadfast-launcher";
  int file = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_EXEC);
  if (file < 0 && errno == EINVAL)
    file = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
  auto out = kept(file);
  std::span left{&steadfast_launcher_begin, &steadfast_launcher_end};
  while (out.is_open() && !left.empty()) {
    const auto n = write(out.get(), left.data(), left.size());
    if (n < 0 && errno != EINTR)
      return descriptor{};
    left = left.subspan(static_cast<std::size_t>(std::max<ssize_t>(n, 0)));
  }
  if (out.is_open())
    fcntl(out.get(), F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
  return out;
}

/// Its path; empty when there is none, and errno says why. Made by the first call that succeeds.
std::string launcher_path() {
  static std::mutex mutex;
  static descriptor file;
  std::lock_guard lock{mutex};
  if (!file.is_open())
    file = launcher_file();
  return file.is_open() ? "/proc/self/fd/" + std::to_string(file.get()) : "";
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> out;
  out.reserve(texts.size() + 1);
  for (auto& t : texts)
    out.push_back(t.data());
  out.push_back(nullptr);
  return out;
}

/// In a group of its own, so that no Ctrl-C reaches it, with these descriptors from 0 on. An errno; 0: it runs.
int spawn(pid_t& pid, const std::string& path, std::vector<std::string> arguments, std::vector<std::string> environment,
          std::span<const int> ends) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  for (std::size_t i = 0; i < ends.size(); ++i)
    posix_spawn_file_actions_adddup2(&actions, ends[i], static_cast<int>(i));
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t all;
  sigfillset(&all);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setsigmask(&attributes, &all);
  posix_spawnattr_setsigdefault(&attributes, &all);
  const int error = posix_spawn(&pid, path.c_str(), &actions, &attributes, pointers_to(arguments).data(),
                                pointers_to(environment).data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

std::vector<std::string> command_line(const program_options& o) {
  std::vector<std::string> words{"steadfast-launcher", o.directory, o.program};
  words.insert(words.end(), o.arguments.begin(), o.arguments.end());
  return words;
}

} // namespace

descriptor timer_after(workflow::span time) {
  auto timer = kept(timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC));
  if (!timer.is_open())
    return timer;
  const auto ns = std::max(std::chrono::nanoseconds{time}, std::chrono::nanoseconds{1}); // 0 would disarm it
  const auto seconds = std::chrono::floor<std::chrono::seconds>(ns);
  const itimerspec when{{}, {seconds.count(), (ns - seconds).count()}};
  if (timerfd_settime(timer.get(), 0, &when, nullptr) != 0)
    timer.close();
  return timer;
}

launched_program::launched_program(const program_options& o, std::vector<std::string> environment,
                                   const descriptor& complete_by) {
  pipe_ends in;
  pipe_ends out;
  pipe_ends err;
  pipe_ends report;
  stop_ = kept(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  const auto node = this_process();
  const auto path = launcher_path();
  if (!in.is_open() || !out.is_open() || !err.is_open() || !report.is_open() || !stop_.is_open() || !node.is_open()
      || path.empty()) {
    fault_ = errno != 0 ? errno : EMFILE;
    return;
  }
  const std::array ends{in.read.get(), out.write.get(),   err.write.get(), report.write.get(),
                        stop_.get(),   complete_by.get(), node.get()};
  static_assert(launcher::report_end == 3 && launcher::first_free_end == ends.size());
  fault_ = spawn(launcher_, path, command_line(o), std::move(environment), ends);
  if (fault_ != 0)
    return;
  input = std::move(in.write);
  output = std::move(out.read);
  errors = std::move(err.read);
  report_ = std::move(report.read);
}

launched_program::~launched_program() {
  if (report_.is_open()) {
    kill();
    wait();
  }
}

void launched_program::kill() const {
  constexpr std::uint64_t once = 1;
  static_cast<void>(!write(stop_.get(), &once, sizeof once)); // it fails only when it was said very often already
}

std::optional<launcher::report> launched_program::wait() {
  launcher::report r{};
  ssize_t size = 0;
  while ((size = read(report_.get(), &r, sizeof r)) < 0 && errno == EINTR) {
  }
  report_.close();
  while (waitpid(launcher_, nullptr, 0) < 0 && errno == EINTR) {
  }
  return size == sizeof r ? std::optional{r} : std::nullopt;
}

} // namespace steadfast::actors
