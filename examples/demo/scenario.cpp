#include "examples/demo/scenario.hpp"

#include "examples/demo/client_log.hpp"
#include "examples/demo/faults.hpp"
#include "examples/demo/load.hpp"
#include "examples/demo/node.hpp"
#include "examples/demo/progress.hpp"
#include "examples/demo/report.hpp"
#include "examples/demo/services.hpp"
#include "runtime/address.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace demo {

namespace {

using namespace std::chrono_literals;
using clock = std::chrono::steady_clock;

constexpr auto look_every = 100ms;
constexpr auto down_for = 400ms;  ///< between a SIGKILL and the next start
constexpr auto start_limit = 60s; ///< all nodes and services may share two slow cores
constexpr auto stop_limit = 15s;
constexpr auto read_limit = 60s; ///< for the programs that read everything at the end

class scenario {
public:
  scenario(const scenario_options& o, interrupted stop_now)
      : options_{o},
        stop_now_{stop_now},
        services_{find("example_service"), o.folder, o.seed},
        client_log_{o.folder / "clients.jsonl"},
        chance_{o.seed} {
    make_nodes();
  }

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

  void make_nodes() {
    const node_paths alone{find("steadfast"), options_.workflows, options_.folder};
    if (options_.nodes == 1) {
      nodes_.push_back(std::make_unique<node>(alone, services_));
      return;
    }
    const auto ports = steadfast::runtime::free_ports(options_.nodes);
    for (std::uint32_t i = 0; i < options_.nodes; ++i) {
      const node_place place{"node-" + std::to_string(i + 1), ports[i], i == 0 ? std::uint16_t{0} : ports[0]};
      nodes_.push_back(std::make_unique<node>(node_paths{alone.program, alone.workflows, alone.folder / place.name},
                                              services_, place));
    }
  }

  node& store_node() { return *nodes_.front(); }

  void start() {
    for (const auto& n : nodes_)
      n->start();
    for (const auto& n : nodes_)
      wait_until_up(*n);
    progress_.say(fmt::format("{} services and {} run in {}", service_names().size(),
                              nodes_.size() == 1 ? "a node" : std::to_string(nodes_.size()) + " nodes",
                              options_.folder.string()));
    begun_ = clock::now();
    std::vector<std::string> sockets;
    for (const auto& n : nodes_)
      sockets.push_back(n->socket());
    load_.emplace(make_submissions(options_.deliveries, options_.orders, options_.seed), client_log_,
                  load_options{sockets, 8, options_.rate});
  }

  void wait_until_up(node& n) {
    if (!n.waits_for_calls(start_limit))
      throw std::runtime_error{"the node does not answer; it said:\n" + read_file(n.log())};
  }

  bool is_over() const { return stop_now_() || clock::now() - begun_ > options_.limit; }

  void submit_and_kill() {
    while (!load_->is_done() && !is_over()) {
      look("submitting");
      // Kills are spread evenly: the first of two when a third of the tasks is acknowledged.
      if (kills_ < options_.kills && load_->acknowledged() * (options_.kills + 1) > load_->size() * (kills_ + 1))
        kill(*nodes_[chance_() % nodes_.size()]);
    }
    load_->stop();
  }

  void kill(node& n) {
    n.kill();
    ++kills_;
    const auto until = clock::now() + down_for;
    while (clock::now() < until)
      look("killed by SIGKILL", &n);
    n.start();
    wait_until_up(n);
  }

  void wait_for_quiet() {
    while (ended(tasks_) < load_->acknowledged() && !is_over())
      look("waiting for the last to end");
  }

  void look(const std::string& phase, const node* killed = nullptr) {
    std::this_thread::sleep_for(look_every);
    const auto counted = store_node().count_tasks();
    if (counted)
      tasks_ = *counted;
    const auto state = killed || !counted ? "down" : "up";
    progress_.show({phase, state, tasks_, load_->size(), load_->acknowledged(), load_->repeated(), kills_});
    for (const auto& n : nodes_)
      if (n.get() != killed && !n->is_running())
        throw std::runtime_error{"a node ended by itself; it said:\n" + read_file(n->log())};
  }

  bool stop() {
    store_node().save_alerts(alerts());
    bool stopped = true;
    for (auto n = nodes_.rbegin(); n != nodes_.rend(); ++n) { // the one with the store last
      if ((*n)->stop(stop_limit) == 0)
        continue;
      progress_.say("a node did not stop with exit code 0 on SIGTERM: " + (*n)->log().string());
      stopped = false;
    }
    services_.stop();
    return stopped;
  }

  bool check() {
    store_node().run({"store", "dump", "--store", store_node().store()}, dump(), read_limit);
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
  std::vector<std::unique_ptr<node>> nodes_; ///< the first has the store
  client_log client_log_;
  std::mt19937_64 chance_; ///< which node is killed
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
