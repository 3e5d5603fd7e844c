#include "actors/agents/program/program_caller.hpp"

#include "actors/agents/call_threads.hpp"
#include "actors/agents/masking.hpp"
#include "actors/agents/program/launched_program.hpp"
#include "workflow/time/time_text.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <map>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

namespace steadfast::actors {

namespace {

constexpr int exit_ends_later = 79;         ///< after the codes of sysexits.h
constexpr std::size_t error_text_max = 512; ///< of what is shown
constexpr std::size_t errors_max = 8192;    ///< of what is read: secrets are masked before it is cut

std::vector<std::string> environment_of(const program_options& o, const call& c) {
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
  all["STEADFAST_TIME_LEFT"] = std::to_string(std::max<std::int64_t>((c.complete_by - c.began_at).count(), 0));
  if (!c.token.empty())
    all["STEADFAST_TOKEN"] = c.token;
  if (!c.trace.empty())
    all["TRACEPARENT"] = c.trace;
  std::vector<std::string> lines;
  lines.reserve(all.size());
  for (const auto& [name, value] : all)
    lines.emplace_back(name).append("=").append(value);
  return lines;
}

/// One run of the program, on a thread of its own.
class run {
public:
  run(const program_options& o, const call& c, const descriptor& complete_by)
      : options_{o},
        call_{c},
        program_{o, environment_of(o, c), complete_by} {}

  answer carry_out() {
    if (const int error = program_.fault(); error != 0)
      return failed_for_now(std::string{"the launcher of programs cannot be run: "} + std::strerror(error), false);
    const std::stop_callback on_stop{call_.stop, [this] { program_.kill(); }};
    exchange();
    const auto report = program_.wait();
    if (call_.stop.stop_requested())
      return {report_kind::stopped, {}, "stopped", true, workflow::span{0}};
    if (too_large_)
      return failed_for_good("the output has more than " + std::to_string(options_.output_max) + " bytes (output_max)",
                             true);
    if (!report)
      return failed_for_now("the launcher of the program was ended from outside, and the program with it");
    return answer_for(*report);
  }

private:
  static bool is_passing(int error) {
    return error == EAGAIN || error == ENOMEM || error == EMFILE || error == ENFILE || error == ETXTBSY;
  }

  /// Writes the input and reads both outputs until nothing of the program is left, or there is too much.
  void exchange() {
    for (const auto* end : {&program_.input, &program_.output, &program_.errors})
      fcntl(end->get(), F_SETFL, O_NONBLOCK);
    for (bool has_ended = false; !has_ended && !too_large_;) {
      std::array<pollfd, 4> ends{pollfd{program_.input.get(), POLLOUT, 0}, pollfd{program_.output.get(), POLLIN, 0},
                                 pollfd{program_.errors.get(), POLLIN, 0}, pollfd{program_.end(), POLLIN, 0}};
      poll(ends.data(), ends.size(), -1);
      has_ended = ends[3].revents != 0;
      if (ends[0].revents != 0)
        write_input();
      while (read_output()) {
      }
      while (read_errors()) {
      }
    }
    if (too_large_)
      program_.kill();
  }

  void write_input() {
    const auto left = call_.input.size() - written_;
    const auto n = left > 0 ? write(program_.input.get(), call_.input.data() + written_, left) : 0;
    if (n > 0)
      written_ += static_cast<std::size_t>(n);
    if (written_ == call_.input.size() || (n < 0 && errno != EAGAIN && errno != EINTR))
      program_.input.close();
  }

  /// Some bytes. An empty text: none yet; no text: the end.
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
    if (!program_.output.is_open())
      return false;
    const auto more = read_some(program_.output.get());
    if (!more)
      program_.output.close();
    if (!more || more->empty())
      return false;
    too_large_ = output_.size() + more->size() > options_.output_max;
    if (!too_large_)
      output_ += *more;
    return !too_large_;
  }

  bool read_errors() {
    if (!program_.errors.is_open())
      return false;
    const auto more = read_some(program_.errors.get());
    if (!more)
      program_.errors.close();
    if (!more || more->empty())
      return false;
    errors_ += more->substr(0, errors_max - errors_.size());
    return !call_.stop.stop_requested();
  }

  answer answer_for(launcher::report r) const {
    const auto why = [&r] { return std::string{": "} + std::strerror(r.value); };
    switch (r.what) {
      case launcher::outcome::ended: return answer_for(r.value);
      case launcher::outcome::no_directory:
        return failed_for_good("directory: cannot enter " + options_.directory + why());
      case launcher::outcome::cannot_run:
        return failed_before("cannot run " + options_.program + why(), is_passing(r.value));
      case launcher::outcome::cannot_supervise:
        return failed_before("the launcher cannot see to it that the program ends" + why(), is_passing(r.value));
      case launcher::outcome::not_begun: return failed_for_now("its time was over before it began", false);
      default: return failed_for_now("ended at complete-by");
    }
  }

  static answer failed_before(std::string why, bool is_passing) {
    return is_passing ? failed_for_now(std::move(why), false) : failed_for_good(std::move(why));
  }

  answer answer_for(int status) const {
    const auto said = errors_.empty() ? "" : ": " + masked(errors_, options_.secrets).substr(0, error_text_max);
    if (!WIFEXITED(status))
      return failed_for_now("the program was ended by signal " + std::to_string(WTERMSIG(status)) + said);
    const int code = WEXITSTATUS(status);
    if (code == 0)
      return succeeded(output_);
    if (code == exit_ends_later && !call_.token.empty())
      return ends_later();
    if (call_.action == workflow::attempt_action::probe && code == options_.denied_exit)
      return did_not_happen();
    const auto why = "exit code " + std::to_string(code) + said;
    const auto& passing = options_.transient_exits;
    const bool is_passing = std::find(passing.begin(), passing.end(), code) != passing.end();
    auto failed = is_passing ? failed_for_now(why) : failed_for_good(why, true); // it may have died halfway
    failed.unsettled = false; // it says so itself, and nothing that it started is left
    return failed;
  }

  const program_options& options_;
  const call& call_;
  launched_program program_;
  std::size_t written_ = 0;
  std::string output_;
  std::string errors_;
  bool too_large_ = false;
};

class program_caller : public caller {
public:
  program_caller(program_options o, std::uint32_t concurrency, call_over over)
      : shared_{std::make_shared<shared>(std::move(o), std::move(over))},
        threads_{concurrency} {}

  ~program_caller() override {
    std::lock_guard lock{shared_->mutex};
    for (auto& [ticket, source] : shared_->open)
      source.request_stop();
  }

  const char* kind() const override { return "exec"; }
  std::string service() const override { return shared_->options.program; }

  std::optional<answer> start(call_ticket ticket, call what) override {
    auto complete_by = std::make_shared<const descriptor>(timer_after(what.complete_by - what.began_at));
    if (!complete_by->is_open())
      return failed_for_now(std::string{"no timer for complete-by: "} + std::strerror(errno), false);
    {
      std::lock_guard lock{shared_->mutex};
      what.stop = shared_->open[ticket].get_token();
    }
    threads_.carry_out([s = shared_, ticket, what = std::move(what), complete_by = std::move(complete_by)] {
      auto a = run{s->options, what, *complete_by}.carry_out();
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
    shared(program_options o, call_over say) : options{std::move(o)}, over{std::move(say)} {}

    const program_options options;
    const call_over over;
    std::mutex mutex;
    std::map<call_ticket, std::stop_source> open;
  };
  std::shared_ptr<shared> shared_;
  call_threads threads_;
};

} // namespace

std::unique_ptr<caller> make_program_caller(program_options o, std::uint32_t concurrency, call_over over) {
  return std::make_unique<program_caller>(std::move(o), concurrency, std::move(over));
}

} // namespace steadfast::actors
