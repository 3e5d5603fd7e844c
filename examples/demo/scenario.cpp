#include "examples/demo/scenario.hpp"

#include "examples/demo/faults.hpp"
#include "examples/demo/load/client_log.hpp"
#include "examples/demo/load/load.hpp"
#include "examples/demo/processes/cluster.hpp"
#include "examples/demo/processes/services.hpp"
#include "examples/demo/progress.hpp"
#include "examples/demo/report.hpp"
#include "examples/demo/run_checker.hpp"
#include "runtime/text/address.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <map>
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
constexpr auto down_for = 400ms; ///< between a SIGKILL and the next start

class scenario {
public:
  scenario(const scenario_options& o, interrupted stop_now)
      : options_{o},
        stop_now_{stop_now},
        services_{find_program(o.programs, "example_service"), o.folder, o.seed},
        evidence_{o.folder, services_.effect_logs()},
        client_log_{evidence_.clients()},
        chance_{o.seed} {
    make_nodes();
  }

  bool play() {
    start();
    switch_faults_on(services_);
    progress_.say("the services misbehave:\n" + fault_summary(services_));
    submit_and_kill();
    switch_faults_off(services_);
    wait_for_quiet();
    seconds_ = std::chrono::duration<double>(clock::now() - begun_).count();
    if (is_over())
      progress_.say(stop_now_() ? "interrupted" : "time is up, and there are still open tasks");
    const bool kept = stop() && check() && !stop_now_();
    if (options_.stays && !stop_now_())
      stay();
    else
      progress_.say("\nthe page of a node was at http://" + page_
                    + "/: with --stay it runs on, with all of these tasks");
    return kept;
  }

private:
  void make_nodes() {
    const node_paths alone{find_program(options_.programs, "steadfast"), options_.workflows, options_.folder, {}};
    std::vector<std::string> addresses;
    for (const auto port : steadfast::runtime::free_ports(options_.nodes + 1))
      addresses.push_back("127.0.0.1:" + std::to_string(port));
    page_ = addresses.back();
    if (options_.nodes == 1) {
      node_place place;
      place.http = page_;
      return nodes_.add(alone, services_, place);
    }
    for (std::uint32_t i = 0; i < options_.nodes; ++i) {
      node_place place;
      place.name = "node-" + std::to_string(i + 1);
      place.listen = addresses[i];
      place.join = i == 0 || !options_.store_url.empty() ? "" : addresses[0];
      place.store_url = options_.store_url;
      place.http = i == 0 ? page_ : "";
      nodes_.add({alone.program, alone.workflows, alone.folder / place.name, {}}, services_, place);
    }
  }

  void start() {
    nodes_.start();
    progress_.say(fmt::format("{} services and {} run in {}", service_names().size(),
                              nodes_.size() == 1 ? "a node" : std::to_string(nodes_.size()) + " nodes",
                              options_.folder.string()));
    progress_.say("the page of a node, to watch: http://" + page_ + "/");
    begun_ = clock::now();
    load_.emplace(make_submissions(options_.deliveries, options_.orders, options_.seed), client_log_,
                  load_options{nodes_.sockets(), 8, options_.rate});
  }

  bool is_over() const { return stop_now_() || clock::now() - begun_ > options_.limit; }

  void submit_and_kill() {
    while (!load_->is_done() && !is_over()) {
      look("submitting");
      // Kills are spread evenly: the first of two when a third of the tasks is acknowledged.
      if (kills_ < options_.kills && load_->acknowledged() * (options_.kills + 1) > load_->size() * (kills_ + 1))
        kill(options_.store_url.empty() ? nodes_.at(chance_() % nodes_.size()) : nodes_.holder_of_store());
      if (!was_half_way_ && load_->acknowledged() * 2 > load_->size())
        run_half_way();
    }
    load_->stop();
  }

  void run_half_way() {
    was_half_way_ = true;
    if (options_.half_way.empty())
      return;
    progress_.say("half way: " + options_.half_way);
    const auto said = options_.folder / "half-way.log";
    process command{{"/bin/sh", "-c", options_.half_way}, said};
    while (command.is_running() && !is_over())
      look("half way");
    if (command.wait(0ms) != 0)
      throw std::runtime_error{options_.half_way + " has " + command.ending() + ":\n" + read_file(said)};
  }

  void kill(node& n) {
    n.kill();
    ++kills_;
    const auto until = clock::now() + down_for;
    while (clock::now() < until)
      look("killed by SIGKILL", &n);
    n.start();
    cluster::wait_until_up(n);
  }

  void wait_for_quiet() {
    while (ended(tasks_) < load_->acknowledged() && !is_over())
      look("waiting for the last to end");
  }

  void look(const std::string& phase, const node* killed = nullptr) {
    std::this_thread::sleep_for(look_every);
    const auto counted = nodes_.count_tasks();
    if (counted)
      tasks_ = *counted;
    const auto state = killed || !counted ? "down" : "up";
    progress_.show({phase, state, tasks_, load_->size(), load_->acknowledged(), load_->repeated(), kills_});
    for (std::size_t i = 0; i < nodes_.size(); ++i)
      if (auto& n = nodes_.at(i); &n != killed && !n.is_running())
        throw std::runtime_error{"a node ended by itself; it said:\n" + read_file(n.log())};
  }

  bool stop() {
    nodes_.with_store().save_alerts(evidence_.alerts());
    const auto complaints = nodes_.stop();
    for (const auto& c : complaints)
      progress_.say(c);
    services_.stop();
    return complaints.empty();
  }

  bool check() {
    dump_tasks(nodes_.with_store(), evidence_);
    progress_.say(
      fmt::format("\n{} submissions, {} sent again for want of an answer, {} refused, {} kills, {:.1f} s\n{}",
                  load_->size(), load_->repeated(), load_->refused(), kills_, seconds_,
                  table(read_dump(evidence_.tasks()), read_effects(evidence_.effect_logs), seconds_)));
    const auto found = run_checker(find_program(options_.programs, "effect_checker"), evidence_);
    progress_.say(found.report);
    return found.kept;
  }

  /// The nodes again, without services and load, until Ctrl-C.
  void stay() {
    nodes_.start();
    progress_.say("\nthe page of a node, with all of these tasks: http://" + page_ + "/  (Ctrl-C ends it)");
    while (!stop_now_())
      std::this_thread::sleep_for(look_every);
    nodes_.stop();
  }

  const scenario_options options_;
  const interrupted stop_now_;
  services services_;
  cluster nodes_;
  const evidence evidence_;
  client_log client_log_;
  std::mt19937_64 chance_; ///< which node is killed
  std::optional<load> load_;
  progress progress_;
  std::map<std::string, std::uint64_t> tasks_;
  std::string page_; ///< host:port
  std::uint32_t kills_ = 0;
  bool was_half_way_ = false;
  clock::time_point begun_ = clock::now();
  double seconds_ = 0;
};

} // namespace

bool play(const scenario_options& o, interrupted stop_now) {
  return scenario{o, stop_now}.play();
}

} // namespace demo
