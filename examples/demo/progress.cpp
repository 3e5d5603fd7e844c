#include "examples/demo/progress.hpp"

#include <fmt/format.h>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <string_view>

namespace demo {

namespace {

constexpr std::size_t bar_width = 30;
constexpr std::array<std::string_view, 7> states = {"pending",   "processing", "undoing", "suspended",
                                                    "processed", "undone",     "error"};

std::uint64_t count(const std::map<std::string, std::uint64_t>& tasks, std::string_view state) {
  const auto found = tasks.find(std::string{state});
  return found == tasks.end() ? 0 : found->second;
}

std::string bar(std::uint64_t part, std::size_t whole) {
  const auto filled = whole == 0 ? 0 : std::min<std::size_t>(bar_width, part * bar_width / whole);
  return std::string(filled, '#') + std::string(bar_width - filled, '.');
}

} // namespace

std::uint64_t ended(const std::map<std::string, std::uint64_t>& tasks) {
  return count(tasks, "processed") + count(tasks, "undone") + count(tasks, "error");
}

progress::progress() : terminal_{isatty(STDOUT_FILENO) == 1} {}

void progress::show(const snapshot& now) {
  if (terminal_)
    draw_block(now);
  else if (seconds() - last_line_ >= 1)
    write_line(now);
}

void progress::say(const std::string& line) {
  erase_block();
  fmt::print("{}\n", line);
  std::fflush(stdout);
}

void progress::say_now(const std::string& line) {
  say(fmt::format("{:5.1f} s  {}", seconds(), line));
}

void progress::draw_block(const snapshot& now) {
  erase_block();
  fmt::print("{:6.1f} s  {:<40} node {:<8} faults {}\n", seconds(), now.phase, now.node, now.faults);
  fmt::print("  acknowledged {} {:>5} of {}, sent again {}\n", bar(now.acknowledged, now.submissions), now.acknowledged,
             now.submissions, now.repeated);
  fmt::print("  ended        {} {:>5}, {:.0f} tasks/s\n", bar(ended(now.tasks), now.submissions), ended(now.tasks),
             rate(now));
  std::string line = " ";
  for (const auto state : states)
    line += fmt::format(" {} {}", state, count(now.tasks, state));
  fmt::print("{}\n", line);
  std::fflush(stdout);
  drawn_ = 4;
}

void progress::write_line(const snapshot& now) {
  last_line_ = seconds();
  std::string line =
    fmt::format("{:5.1f} s  {:<24} node {:<7} acknowledged {:>5}", seconds(), now.phase, now.node, now.acknowledged);
  for (const auto state : states)
    if (const auto n = count(now.tasks, state); n > 0)
      line += fmt::format("  {} {}", state, n);
  fmt::print("{}  {:.0f} tasks/s\n", line, rate(now));
  std::fflush(stdout);
}

void progress::erase_block() {
  for (; drawn_ > 0; --drawn_)
    fmt::print("\x1b[1A\x1b[2K");
}

double progress::seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count();
}

double progress::rate(const snapshot& now) {
  const auto passed = seconds() - rate_at_;
  if (passed >= 1) {
    const auto total = ended(now.tasks);
    rate_ = total < rate_ended_ ? 0 : static_cast<double>(total - rate_ended_) / passed;
    rate_ended_ = total;
    rate_at_ = seconds();
  }
  return rate_;
}

} // namespace demo
