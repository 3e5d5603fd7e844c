#include "actors/exec_caller.hpp"

#include "actors/call_threads.hpp"
#include "workflow/time_text.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace steadfast::actors {

namespace {

constexpr std::size_t error_text_max = 512;
constexpr int look_every_ms = 50; ///< between looks at whether the call is still wanted

/// A pipe whose ends close by themselves and are not handed to other programs.
struct pipe_ends {
  int read = -1;
  int write = -1;
  pipe_ends() {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) == 0) {
      read = ends[0];
      write = ends[1];
    }
  }
  ~pipe_ends() {
    close_read();
    close_write();
  }
  pipe_ends(const pipe_ends&) = delete;
  pipe_ends& operator=(const pipe_ends&) = delete;

  bool is_open() const { return read >= 0; }
  void close_read() { close_end(read); }
  void close_write() { close_end(write); }

private:
  static void close_end(int& fd) {
    if (fd >= 0)
      close(fd);
    fd = -1;
  }
};

/// Becomes readable when the program has ended.
struct process_end {
  int fd = -1;
  process_end() = default;
  process_end(const process_end&) = delete;
  process_end& operator=(const process_end&) = delete;
  ~process_end() {
    if (fd >= 0)
      close(fd);
  }
};

std::vector<std::string> environment_of(const exec_options& o, const call& c) {
  const auto action = c.action == workflow::attempt_action::compensate ? "undo"
                      : c.action == workflow::attempt_action::probe    ? "probe"
                                                                       : "do";
  auto all = o.environment;
  all["STEADFAST_KEY"] = c.key;
  all["STEADFAST_REVERSES"] = c.reverses;
  all["STEADFAST_TASK"] = c.task_id;
  all["STEADFAST_STEP"] = c.step;
  all["STEADFAST_ACTION"] = action;
  all["STEADFAST_ATTEMPT"] = std::to_string(c.attempt);
  all["STEADFAST_TRY"] = std::to_string(c.try_number);
  all["STEADFAST_EPOCH"] = std::to_string(c.epoch);
  all["STEADFAST_COMPLETE_BY"] = workflow::utc_text(c.complete_by);
  std::vector<std::string> lines;
  lines.reserve(all.size());
  for (const auto& [name, value] : all)
    lines.emplace_back(name).append("=").append(value);
  return lines;
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> out;
  out.reserve(texts.size() + 1);
  for (auto& t : texts)
    out.push_back(t.data());
  out.push_back(nullptr);
  return out;
}

/// One run of the program, on a thread of its own.
class run {
public:
  run(const exec_options& o, const call& c) : options_{o}, call_{c} {}

  answer carry_out() {
    if (!in_.is_open() || !out_.is_open() || !err_.is_open())
      return failed_for_now(std::string{"no pipe: "} + std::strerror(errno), false);
    if (const int error = spawn(); error != 0) {
      const auto why = "cannot run " + options_.program + ": " + std::strerror(error);
      return is_passing(error) ? failed_for_now(why, false) : failed_for_good(why);
    }
    end_.fd = static_cast<int>(syscall(SYS_pidfd_open, pid_, 0)); // its header in glibc 2.36 is none for C++
    in_.close_read();
    out_.close_write();
    err_.close_write();
    exchange();
    return wait_for_end();
  }

private:
  static bool is_passing(int error) {
    return error == EAGAIN || error == ENOMEM || error == EMFILE || error == ENFILE || error == ETXTBSY;
  }

  int spawn() {
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); // of this thread, which only runs programs, and so of the program
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, in_.read, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, out_.write, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, err_.write, STDERR_FILENO);
    posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1);
    posix_spawn_file_actions_addchdir_np(&actions, options_.directory.c_str());
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    sigset_t none;
    sigemptyset(&none);
    sigset_t all;
    sigfillset(&all);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    auto arguments = options_.arguments;
    arguments.insert(arguments.begin(), options_.program);
    auto environment = environment_of(options_, call_);
    const int error = posix_spawn(&pid_, options_.program.c_str(), &actions, &attributes, pointers_to(arguments).data(),
                                  pointers_to(environment).data());
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return error;
  }

  /// Writes the input and reads both outputs until the program ends or closes them, the call is stopped, or there is too
  /// much. Who else holds the outputs open is not waited for.
  void exchange() {
    for (const int fd : {in_.write, out_.read, err_.read})
      fcntl(fd, F_SETFL, O_NONBLOCK);
    bool has_ended = false;
    while ((out_.read >= 0 || err_.read >= 0) && !has_ended && !too_large_ && !call_.stop.stop_requested()) {
      std::array<pollfd, 4> ends{pollfd{in_.write, POLLOUT, 0}, pollfd{out_.read, POLLIN, 0},
                                 pollfd{err_.read, POLLIN, 0}, pollfd{end_.fd, POLLIN, 0}};
      poll(ends.data(), ends.size(), look_every_ms);
      has_ended = ends[3].revents != 0;
      if (ends[0].revents != 0)
        write_input();
      while (read_output()) {
      }
      while (read_errors()) {
      }
    }
  }

  void write_input() {
    const auto left = call_.input.size() - written_;
    const auto n = left > 0 ? write(in_.write, call_.input.data() + written_, left) : 0;
    if (n > 0)
      written_ += static_cast<std::size_t>(n);
    if (written_ == call_.input.size() || (n < 0 && errno != EAGAIN && errno != EINTR))
      in_.close_write();
  }

  /// Some bytes; none yet: empty; the end: nothing.
  static std::optional<std::string> read_some(int fd) {
    std::array<char, 65536> buffer{};
    const auto n = read(fd, buffer.data(), buffer.size());
    if (n < 0 && (errno == EINTR || errno == EAGAIN))
      return std::string{};
    if (n <= 0)
      return std::nullopt;
    return std::string{buffer.data(), static_cast<std::size_t>(n)};
  }

  /// Whether there may be more at once.
  bool read_output() {
    if (out_.read < 0)
      return false;
    const auto more = read_some(out_.read);
    if (!more)
      out_.close_read();
    if (!more || more->empty())
      return false;
    too_large_ = output_.size() + more->size() > options_.output_max;
    if (!too_large_)
      output_ += *more;
    return !too_large_;
  }

  bool read_errors() {
    if (err_.read < 0)
      return false;
    const auto more = read_some(err_.read);
    if (!more)
      err_.close_read();
    if (!more || more->empty())
      return false;
    errors_ += more->substr(0, error_text_max - std::min(error_text_max, errors_.size()));
    return !call_.stop.stop_requested();
  }

  /// The group is killed before the program is reaped: until then its number belongs to nobody else.
  answer wait_for_end() {
    siginfo_t info{};
    while (waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == 0) {
      if (too_large_ || call_.stop.stop_requested())
        kill(-pid_, SIGKILL);
      pollfd end{end_.fd, POLLIN, 0};
      poll(&end, 1, look_every_ms);
    }
    kill(-pid_, SIGKILL); // what it left behind
    int status = 0;
    while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    if (call_.stop.stop_requested())
      return {report_kind::stopped, {}, "stopped", true, workflow::span{0}};
    if (too_large_)
      return failed_for_good("the output has more than " + std::to_string(options_.output_max) + " bytes (output_max)",
                             true);
    return answer_for(status);
  }

  answer answer_for(int status) const {
    const auto said = errors_.empty() ? "" : ": " + errors_;
    if (!WIFEXITED(status))
      return failed_for_now("the program was ended by signal " + std::to_string(WTERMSIG(status)) + said);
    const int code = WEXITSTATUS(status);
    if (code == 0)
      return succeeded(output_);
    if (call_.action == workflow::attempt_action::probe && code == options_.denied_exit)
      return did_not_happen();
    const auto why = "exit code " + std::to_string(code) + said;
    const auto& passing = options_.transient_exits;
    if (std::find(passing.begin(), passing.end(), code) != passing.end())
      return failed_for_now(why);
    return failed_for_good(why, true); // it may have died halfway
  }

  const exec_options& options_;
  const call& call_;
  pipe_ends in_;
  pipe_ends out_;
  pipe_ends err_;
  process_end end_;
  pid_t pid_ = -1;
  std::size_t written_ = 0;
  std::string output_;
  std::string errors_;
  bool too_large_ = false;
};

class exec_caller : public caller {
public:
  exec_caller(exec_options o, std::uint32_t concurrency, call_over over)
      : shared_{std::make_shared<shared>(std::move(o), std::move(over))},
        threads_{concurrency} {}

  ~exec_caller() override {
    std::lock_guard lock{shared_->mutex};
    for (auto& [ticket, source] : shared_->open)
      source.request_stop();
  }

  const char* kind() const override { return "exec"; }

  std::optional<answer> start(call_ticket ticket, call what) override {
    {
      std::lock_guard lock{shared_->mutex};
      what.stop = shared_->open[ticket].get_token();
    }
    threads_.carry_out([s = shared_, ticket, what = std::move(what)] {
      auto a = run{s->options, what}.carry_out();
      {
        std::lock_guard lock{s->mutex};
        s->open.erase(ticket);
      }
      s->over(ticket, std::move(a));
    });
    return std::nullopt;
  }

  void stop(call_ticket ticket) override {
    std::lock_guard lock{shared_->mutex};
    if (const auto found = shared_->open.find(ticket); found != shared_->open.end())
      found->second.request_stop();
  }

private:
  /// Outlives the caller as long as a program runs.
  struct shared {
    shared(exec_options o, call_over say) : options{std::move(o)}, over{std::move(say)} {}

    const exec_options options;
    const call_over over;
    std::mutex mutex;
    std::map<call_ticket, std::stop_source> open;
  };
  std::shared_ptr<shared> shared_;
  call_threads threads_;
};

} // namespace

std::unique_ptr<caller> make_exec_caller(exec_options o, std::uint32_t concurrency, call_over over) {
  return std::make_unique<exec_caller>(std::move(o), concurrency, std::move(over));
}

} // namespace steadfast::actors
