#include "apps/bench/runs/part.hpp"

#include "apps/bench/figures/process_figures.hpp"
#include "apps/bench/load/callers.hpp"
#include "apps/bench/load/gateway_load.hpp"
#include "apps/bench/load/http_service.hpp"
#include "apps/bench/load/waiting_load.hpp"
#include "apps/bench/runs/part_node.hpp"
#include "apps/terminal/failure.hpp"
#include "apps/terminal/interrupt.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <iostream>
#include <memory>
#include <thread>

namespace steadfast::bench {
namespace {

using apps::failure;
using apps::interrupt_guard;
using nlohmann::json;
using std::chrono::milliseconds;

constexpr milliseconds end_limit{30'000};
constexpr milliseconds look_often{20};
constexpr int poll_ms = 100;

struct pipe_ends {
  int read = -1;
  int write = -1;
};

pipe_ends make_pipe() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    throw failure{apps::our_fault, std::string{"no pipe: "} + std::strerror(errno)};
  return {ends[0], ends[1]};
}

pid_t start(const part_setup& setup, int input, int output) {
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, input, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&files, output, STDOUT_FILENO);
  std::string program = "/proc/self/exe";
  std::string subcommand = "bench";
  std::string option = "--part";
  std::string what = json(setup).dump();
  char* const arguments[] = {program.data(), subcommand.data(), option.data(), what.data(), nullptr};
  pid_t process = -1;
  const int wrong = posix_spawn(&process, program.c_str(), &files, nullptr, arguments, environ);
  posix_spawn_file_actions_destroy(&files);
  if (wrong != 0)
    throw failure{apps::our_fault, std::string{"a process cannot be started: "} + std::strerror(wrong)};
  return process;
}

} // namespace

// ---- from outside ----

part::part(const part_setup& setup) : started_{std::chrono::steady_clock::now()} {
  const auto in = make_pipe();
  const auto out = make_pipe();
  process_ = start(setup, in.read, out.write);
  close(in.read);
  close(out.write);
  to_ = in.write;
  from_ = out.read;
  try {
    about_ = answer();
  } catch (...) {
    end(milliseconds{0});
    throw;
  }
}

part::~part() {
  end(interrupt_guard::interrupted() ? milliseconds{0} : end_limit);
}

/// A part whose input has ended stops by itself.
void part::end(milliseconds limit) {
  if (to_ >= 0)
    close(std::exchange(to_, -1));
  const auto until = std::chrono::steady_clock::now() + limit;
  while (process_ > 0 && waitpid(process_, nullptr, WNOHANG) == 0) {
    if (std::chrono::steady_clock::now() >= until)
      ::kill(process_, SIGKILL);
    std::this_thread::sleep_for(look_often);
  }
  process_ = -1;
  if (from_ >= 0)
    close(std::exchange(from_, -1));
}

void part::kill() {
  end(milliseconds{0});
}

void part::tell(const std::string& what, const json& with) {
  const auto line = json{{"do", what}, {"with", with}}.dump() + "\n";
  if (write(to_, line.data(), line.size()) != static_cast<ssize_t>(line.size()))
    throw failure{apps::our_fault, "a process of the measurement has ended"};
}

json part::answer() {
  char bytes[65536];
  for (auto end = read_.find('\n');; end = read_.find('\n')) {
    if (end != std::string::npos) {
      auto line = json::parse(read_.substr(0, end));
      read_.erase(0, end + 1);
      if (line.contains("trouble"))
        throw failure{apps::our_fault, line["trouble"].get<std::string>()};
      return line;
    }
    pollfd input{from_, POLLIN, 0};
    const int ready = poll(&input, 1, poll_ms);
    if (interrupt_guard::interrupted())
      throw failure{apps::interrupted, "stopped by Ctrl-C"};
    if (ready <= 0)
      continue;
    const auto size = read(from_, bytes, sizeof bytes);
    if (size <= 0)
      throw failure{apps::our_fault, "a process of the measurement has ended"};
    read_.append(bytes, static_cast<std::size_t>(size));
  }
}

json part::call(const std::string& what, const json& with) {
  tell(what, with);
  return answer();
}

void fill_store(part_setup setup, std::uint64_t tasks) {
  setup.roles = {"store"}; // a scheduler would not be told of them
  part{setup}.call("fill", {{"tasks", tasks}});
}

// ---- from inside ----

namespace {

void say(const json& what) {
  std::cout << what.dump() << std::endl;
}

/// Whether the measuring process has gone.
bool is_alone() {
  pollfd input{STDIN_FILENO, 0, 0};
  return poll(&input, 1, 0) > 0 && (input.revents & POLLHUP) != 0;
}

/// The one of them that it is; a caller is none.
struct role {
  std::unique_ptr<part_node> node{};
  std::unique_ptr<http_service> service{};
  std::unique_ptr<waiting_load> waiting{};
};

role role_of(const part_setup& setup) {
  role r;
  if (setup.kind == "node")
    r.node = std::make_unique<part_node>(setup);
  else if (setup.kind == "service")
    r.service = std::make_unique<http_service>(text_of_size(setup.load.result), setup.certificates);
  else if (setup.kind == "waiting")
    r.waiting = std::make_unique<waiting_load>(setup.folder);
  return r;
}

json carry_out(const std::string& what, const json& with, waiting_load& load) {
  if (what == "submit waiters") {
    load.submit_waiters(with.at("tasks"), with.at("each_its_own"));
    return json::object();
  }
  if (what == "send events")
    return load.send_events(with.at("tasks"));
  if (what == "release")
    return load.release();
  if (what == "sleep")
    return load.sleep(with.at("per_second"), with.at("seconds"));
  if (what == "items")
    return load.run_items(with.at("tasks"), with.at("items"));
  if (what == "children")
    return load.run_children(with.at("tasks"));
  return load.run_beside(with.at("tasks"));
}

json carry_out(const std::string& what, const json& with, const role& r) {
  if (r.waiting)
    return carry_out(what, with, *r.waiting);
  if (what == "call")
    return call_node(with.get<call_plan>());
  if (what == "flood")
    return flood(with.get<flood_plan>());
  if (what == "follow")
    return follow(with.get<follow_plan>());
  if (what == "follow_all")
    return follow_all(with.get<follow_all_plan>());
  if (!r.node)
    return figures_now();
  if (what == "drive")
    return r.node->drive(with, is_alone);
  if (what == "fill")
    r.node->fill(with.at("tasks"));
  return r.node->figures();
}

void serve(const role& r) {
  for (std::string line; std::getline(std::cin, line);) {
    const auto request = json::parse(line);
    say(carry_out(request.at("do"), request.at("with"), r));
  }
}

} // namespace

int be_part(const part_setup& setup) {
  prctl(PR_SET_PDEATHSIG, SIGKILL); // the measuring process may be killed
  std::signal(SIGINT, SIG_IGN);     // Ctrl-C goes to the whole group; the measuring process decides
  try {
    const auto r = role_of(setup);
    say({{"ready_at", std::chrono::steady_clock::now().time_since_epoch().count()},
         {"port", r.service ? r.service->port() : 0}});
    serve(r);
  } catch (const std::exception& e) {
    say({{"trouble", e.what()}});
    return apps::our_fault;
  }
  return apps::done;
}

} // namespace steadfast::bench
