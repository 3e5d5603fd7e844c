#include "examples/demo/scenario.hpp"

#include "examples/demo/client_log.hpp"
#include "examples/demo/faults.hpp"
#include "examples/demo/load.hpp"
#include "examples/demo/node.hpp"
#include "examples/demo/progress.hpp"
#include "examples/demo/report.hpp"
#include "examples/demo/services.hpp"

#include <fmt/format.h>

#include <optional>
#include <stdexcept>
#include <string>
#include <thread>

namespace demo {

namespace {

using namespace std::chrono_literals;
using clock = std::chrono::steady_clock;

constexpr auto look_every = 100ms;
constexpr auto down_for = 400ms; ///< between a SIGKILL and the next start
constexpr auto start_limit = 15s;
constexpr auto stop_limit = 15s;
constexpr auto read_limit = 60s; ///< for the programs that read everything at the end

class scenario {
public:
  scenario(const scenario_options& o, interrupted stop_now)
      : options_{o},
        stop_now_{stop_now},
        services_{find("example_service"), o.folder, o.seed},
        node_{{find("steadfast"), o.workflows, o.folder}, services_},
        client_log_{o.folder / "clients.jsonl"} {}

  bool play() {
    start();
    switch_faults_on(services_);
    progress_.say("the services misbehave:\n" + fault_summary());
    submit_and_kill();
    switch_faults_off(services_);
    wait_for_quiet();
    seconds_ = std::chrono::duration<double>(clock::now() - begun_).count();
    if (is_over())
      progress_.say(stop_now_() ? "interrupted" : "time is up, and there are still open tasks");
    return stop() && check() && !stop_now_();
  }

private:
  std::filesystem::path find(const std::string& program) const {
    for (const auto& folder :
         {options_.programs, options_.programs / "examples" / "services", options_.programs / "examples" / "checker"})
      if (std::filesystem::is_regular_file(folder / program))
        return folder / program;
    throw std::runtime_error{"there is no " + program + " in " + options_.programs.string()};
  }

  void start() {
    node_.start();
    wait_until_up();
    progress_.say(fmt::format("{} services and a node run in {}", service_names().size(), options_.folder.string()));
    begun_ = clock::now();
    load_.emplace(make_submissions(options_.deliveries, options_.orders, options_.seed), client_log_,
                  load_options{node_.socket(), 8, options_.rate});
  }

  void wait_until_up() {
    if (!node_.waits_for_calls(start_limit))
      throw std::runtime_error{"the node does not answer; it said:\n" + read_file(node_.log())};
  }

  bool is_over() const { return stop_now_() || clock::now() - begun_ > options_.limit; }

  void submit_and_kill() {
    while (!load_->is_done() && !is_over()) {
      look("submitting");
      // Kills are spread evenly: the first of two when a third of the tasks is acknowledged.
      if (kills_ < options_.kills && load_->acknowledged() * (options_.kills + 1) > load_->size() * (kills_ + 1))
        kill_node();
    }
    load_->stop();
  }

  void kill_node() {
    node_.kill();
    ++kills_;
    const auto until = clock::now() + down_for;
    while (clock::now() < until)
      look("killed by SIGKILL", false);
    node_.start();
    wait_until_up();
  }

  void wait_for_quiet() {
    while (ended(tasks_) < load_->acknowledged() && !is_over())
      look("waiting for the last to end");
  }

  void look(const std::string& phase, bool node_is_meant_to_run = true) {
    std::this_thread::sleep_for(look_every);
    const auto counted = node_.count_tasks();
    if (counted)
      tasks_ = *counted;
    progress_.show(
      {phase, counted ? "up" : "down", tasks_, load_->size(), load_->acknowledged(), load_->repeated(), kills_});
    if (node_is_meant_to_run && !node_.is_running())
      throw std::runtime_error{"the node ended by itself; it said:\n" + read_file(node_.log())};
  }

  bool stop() {
    node_.save_alerts(alerts());
    const auto code = node_.stop(stop_limit);
    services_.stop();
    if (code != 0)
      progress_.say("the node did not stop with exit code 0 on SIGTERM: " + node_.log().string());
    return code == 0;
  }

  bool check() {
    node_.run({"store", "dump", "--store", node_.store()}, dump(), read_limit);
    progress_.say(
      fmt::format("\n{} submissions, {} sent again for want of an answer, {} refused, {} kills, {:.1f} s\n{}",
                  load_->size(), load_->repeated(), load_->refused(), kills_, seconds_,
                  table(read_dump(dump()), read_effects(services_.effect_logs()), seconds_)));
    std::vector<std::string> command{find("effect_checker"),
                                     "--tasks",
                                     dump(),
                                     "--alerts",
                                     alerts(),
                                     "--clients",
                                     options_.folder / "clients.jsonl",
                                     "--effects"};
    for (const auto& log : services_.effect_logs())
      command.push_back(log);
    process checker{command, options_.folder / "checker.txt"};
    const auto code = checker.wait(read_limit);
    progress_.say(read_file(options_.folder / "checker.txt"));
    return code == 0;
  }

  std::filesystem::path alerts() const { return options_.folder / "alerts.jsonl"; }
  std::filesystem::path dump() const { return options_.folder / "tasks.jsonl"; }

  const scenario_options options_;
  const interrupted stop_now_;
  services services_;
  node node_;
  client_log client_log_;
  std::optional<load> load_;
  progress progress_;
  std::map<std::string, std::uint64_t> tasks_;
  std::uint32_t kills_ = 0;
  clock::time_point begun_ = clock::now();
  double seconds_ = 0;
};

} // namespace

bool play(const scenario_options& o, interrupted stop_now) {
  return scenario{o, stop_now}.play();
}

} // namespace demo
