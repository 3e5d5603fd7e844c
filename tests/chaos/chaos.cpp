#include "tests/chaos/chaos.hpp"

#include "examples/demo/faults.hpp"
#include "examples/demo/load/client_log.hpp"
#include "examples/demo/load/load.hpp"
#include "examples/demo/processes/services.hpp"
#include "examples/demo/progress.hpp"
#include "examples/demo/report.hpp"
#include "examples/demo/run_checker.hpp"
#include "tests/chaos/playground.hpp"
#include "tests/chaos/rounds.hpp"
#include "tests/chaos/wake_log.hpp"
#include "tests/chaos/waker.hpp"
#include "tests/chaos/work.hpp"

#include <fmt/format.h>

#include <map>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace chaos {

namespace {

using namespace std::chrono_literals;
using clock = std::chrono::steady_clock;

constexpr auto look_every = 50ms;
constexpr auto count_every = 1s;      ///< a node under load is slow to answer, and faults must go on
constexpr auto rest_max = 60s;        ///< a call that was given up may last until its complete-by
constexpr std::uint32_t clients = 64; ///< a frozen node holds those that wait for its answer

/// The services that the workflows need.
std::vector<demo::service_name> services_of_all() {
  return {{"account", "check"}, {"package", "create"}, {"delivery", "create"}, {"stock", "reserve"},
          {"orders", "store"},  {"payment", "charge"}, {"shipping", "book"},   {"screening", "screen"}};
}

constexpr const char* packer = "orders"; ///< the service whose steps end later
constexpr const char* mostly_later = R"({"later": 0.9})";

class run {
public:
  run(const options& o, interrupted stop_now)
      : options_{o},
        stop_now_{stop_now},
        playground_{o},
        services_{demo::find_program(o.programs, "example_service"), o.folder, o.seed, services_of_all(),
                  playground_.hosts().own_address()},
        evidence_{o.folder, services_.effect_logs(), true},
        client_log_{evidence_.clients()},
        wake_log_{evidence_.wakes()},
        chance_{o.seed} {
    playground_.add_nodes(o, services_);
  }

  bool play() {
    introduce();
    playground_.start();
    demo::switch_faults_on(services_);
    services_.set_faults(packer, mostly_later);
    auto work = make_work(options_);
    schedules_ = work.schedules;
    for (const auto& s : schedules_)
      client_log_.knows_schedule(s.name, s.workflow, s.every, s.overlap);
    offered_again_ = work.submissions.size() - work.ids;
    begun_ = clock::now();
    waker_.emplace(std::move(work.payments), wake_log_,
                   waker_options{playground_.nodes().sockets(), services_.tokens_of(packer), options_.seed});
    load_.emplace(std::move(work.submissions), client_log_,
                  demo::load_options{playground_.nodes().sockets(), clients, options_.rate, true});
    play_faults();
    heal();
    wait_for_schedules();
    wait_for_quiet();
    waker_->stop();
    wait_for_rest();
    stop();
    return check() && as_promised_;
  }

private:
  void introduce() {
    progress_.say(fmt::format("seed {}: {} nodes for {} s at {} tasks per second, {} % of them orders, in {}",
                              options_.seed, options_.nodes, options_.lasts.count(), options_.rate,
                              options_.orders_percent, options_.folder.string()));
    if (!playground_.can().cuts)
      progress_.say("the network is not cut: " + playground_.hosts().why_not());
    if (!playground_.can().clocks)
      progress_.say("no clock is set: libfaketime is not installed, or does not work with this build");
    progress_.say("the services misbehave:\n" + demo::fault_summary(services_));
  }

  // ---- faults ----

  void play_faults() {
    auto next = begun_ + 1s;
    while (clock::now() < begun_ + options_.lasts && !stop_now_()) {
      look("under faults");
      complain(playground_.end_due());
      if (clock::now() < next)
        continue;
      const auto f = draw(chance_, playground_.can());
      if (!playground_.can_begin(f))
        continue;
      progress_.say_now(text_of(f, playground_.can()));
      playground_.begin(f);
      ++faults_;
      next = clock::now() + 500ms + std::chrono::milliseconds{chance_() % 2000};
    }
  }

  /// The work ends with the faults: what was not acknowledged by then need not be.
  void heal() {
    demo::switch_faults_off(services_);
    complain(playground_.heal());
    load_->stop(); // not before: its clients may wait for a node that is frozen
    healed_ = clock::now();
    progress_.say_now("all is healed");
  }

  // ---- schedules ----

  /// Each goes on after the faults, and then ends.
  void wait_for_schedules() {
    rounds r{playground_.nodes().sockets()};
    for (const auto& s : schedules_)
      if (!stop_now_())
        complain(r.end(s.name));
    progress_.say_now("the schedules have gone on, and are paused");
  }

  // ---- looking on ----

  std::uint64_t all_tasks() const {
    return std::accumulate(tasks_.begin(), tasks_.end(), std::uint64_t{0},
                           [](std::uint64_t sum, const auto& of_state) { return sum + of_state.second; });
  }

  void complain(const std::vector<std::string>& sentences) {
    for (const auto& s : sentences)
      progress_.say(s);
    as_promised_ = as_promised_ && sentences.empty();
  }

  void look(const std::string& phase) {
    std::this_thread::sleep_for(look_every);
    auto& nodes = playground_.nodes();
    if (auto* node = playground_.who_counts(); node != nullptr && clock::now() >= next_count_) {
      if (const auto counted = node->count_tasks())
        tasks_ = *counted;
      next_count_ = clock::now() + count_every;
    }
    const auto up = fmt::format("{} of {} up", playground_.free_nodes(), nodes.size());
    progress_.show({phase, up, tasks_, load_->size(), load_->acknowledged(), load_->repeated(), faults_});
    playground_.start_those_who_ended();
  }

  void wait_for_quiet() {
    const auto is_quiet = [this] {
      return all_tasks() == demo::ended(tasks_) && all_tasks() + offered_again_ >= load_->acknowledged();
    };
    tasks_.clear(); // what was counted before says nothing
    while ((tasks_.empty() || !is_quiet()) && !stop_now_() && clock::now() < healed_ + options_.quiet_max)
      look("waiting for quiet");
    if (stop_now_())
      complain({"interrupted"});
    else if (!is_quiet())
      complain({"there are open tasks " + std::to_string(options_.quiet_max.count()) + " s after the last fault"});
    else
      progress_.say_now("all is quiet");
  }

  /// What was counted up has come down again: when all tasks have ended, no part of a node has any in flight.
  void wait_for_rest() {
    const auto until = clock::now() + rest_max;
    for (std::uint32_t i = 0; i < playground_.nodes().size() && !stop_now_(); ++i) {
      const auto& node = playground_.nodes().at(i);
      auto held = node.in_flight();
      for (; !held.empty() && !stop_now_() && clock::now() < until; held = node.in_flight())
        std::this_thread::sleep_for(look_every);
      if (!held.empty())
        complain({"all tasks have ended, but node-" + std::to_string(i + 1) + " has in flight: " + held});
    }
  }

  // ---- the end ----

  void stop() {
    playground_.nodes().with_store().save_alerts(evidence_.alerts());
    complain(playground_.stop());
    services_.stop();
  }

  bool check() {
    const auto lasted = std::chrono::duration<double>(healed_ - begun_).count();
    demo::dump_tasks(playground_.nodes().with_store(), evidence_);
    if (options_.postgres)
      progress_.say(fmt::format("\nthe store was taken from a node that lived {} times", playground_.taken_from()));
    progress_.say(
      fmt::format("\n{} faults; {} tasks offered, {} acknowledged, {:.0f} per second; {} sent again, {} refused\n"
                  "events, answers and tokens: {} acknowledged, {} refused, {} without an answer\n{}",
                  faults_, load_->size(), load_->acknowledged(), static_cast<double>(load_->acknowledged()) / lasted,
                  load_->repeated(), load_->refused(), waker_->acknowledged(), waker_->refused(), waker_->repeated(),
                  demo::table(demo::read_dump(evidence_.tasks()), demo::read_effects(evidence_.effect_logs), lasted)));
    const auto found = demo::run_checker(demo::find_program(options_.programs, "effect_checker"), evidence_);
    progress_.say(found.report);
    return found.kept;
  }

  const options options_;
  const interrupted stop_now_;
  playground playground_; ///< before any thread
  demo::services services_;
  const demo::evidence evidence_;
  demo::client_log client_log_;
  wake_log wake_log_;
  std::mt19937_64 chance_;
  std::optional<waker> waker_;
  std::optional<demo::load> load_;
  demo::progress progress_;
  std::vector<schedule> schedules_;
  std::size_t offered_again_ = 0;              ///< submissions of an id that an earlier one has
  std::map<std::string, std::uint64_t> tasks_; ///< by process_state, as they were counted last
  clock::time_point next_count_ = clock::now();
  std::uint32_t faults_ = 0;
  bool as_promised_ = true;
  clock::time_point begun_ = clock::now();
  clock::time_point healed_ = clock::now();
};

} // namespace

bool play(const options& o, interrupted stop_now) {
  return run{o, stop_now}.play();
}

} // namespace chaos
