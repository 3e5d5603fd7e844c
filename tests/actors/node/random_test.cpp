// A node under a schedule, faults and deaths drawn from a seed; then all is well again, and everything must come to its
// end.

#include "simulation/judge/count_all.hpp"
#include "tests/actors/one_node.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <random>
#include <set>
#include <utility>

using namespace steadfast;
using namespace std::chrono_literals;
using actors::report_kind;
using actors::step_order;
using actors::task_act;
using tests::one_node;
using tests::report_on;
using workflow::attempt_action;

namespace {

/// The same numbers on every platform: raw draws only.
class dice {
public:
  explicit dice(std::uint64_t seed) : draw_{seed} {}
  std::uint64_t below(std::uint64_t bound) { return draw_() % bound; }
  bool one_in(std::uint64_t n) { return below(n) == 0; }

private:
  std::mt19937_64 draw_;
};

/// The remote services: what was done and reversed, by idempotency key. An undo of what never happened is harmless, and
/// a step that comes after its undo is refused, as the contract demands.
struct services {
  std::set<std::string> done;
  std::set<std::string> reversed;
  std::vector<std::string> faults; ///< what must not have happened

  void act(const step_order& o) {
    if (o.action == attempt_action::compensate)
      reversed.insert(o.reverses);
    else if (o.action == attempt_action::perform && reversed.contains(o.key))
      faults.push_back(o.key + " was ordered after its undo");
    else if (o.action == attempt_action::perform)
      done.insert(o.key);
  }
};

workflow::definition random_workflow(dice& d) {
  auto w = tests::pipeline(
    "trip", {tests::step_named("a"), tests::step_named("b"), tests::step_named("c"), tests::step_named("d")});
  for (auto& s : w.steps) {
    s.complete_by = workflow::span{5000 + d.below(20'000)};
    s.retry.attempts = static_cast<std::uint32_t>(1 + d.below(3));
    s.threshold = static_cast<std::uint32_t>(1 + d.below(3));
    s.cool_off = {20s, static_cast<std::uint32_t>(d.below(2))};
    s.exhausted = d.one_in(4) ? workflow::on_exhausted::error : workflow::on_exhausted::undo;
    if (d.one_in(3))
      s.probe = workflow::probe{s.agent, 5s};
    if (d.one_in(6))
      s.compensation.reset();
  }
  if (d.one_in(2))
    w.steps[1].after.emplace(); // in parallel with the first
  if (d.one_in(2))
    w.steps[2].after = std::vector<std::string>{"a"};
  w.deadline = 30min;
  return w;
}

/// One run: a node, its remote services, and the dice that decide.
class random_run {
public:
  explicit random_run(std::uint64_t seed) : dice_{seed}, node_{settings(dice_)} {
    for (const auto* step : {"a", "b", "c", "d"})
      node_.agent(step).follow([this](const step_order& o) { return answer(o); });
  }

  void go() {
    for (int i = 0; i < 500; ++i)
      disturb();
    heal();
    check();
  }

private:
  static tests::node_settings settings(dice& d) {
    tests::node_settings s;
    s.definitions = {random_workflow(d)};
    if (d.one_in(3))
      s.schedulers.push_back("s2");
    s.in_flight_max = static_cast<std::uint32_t>(1 + d.below(4));
    s.batch_max = 1 + d.below(4);
    return s;
  }

  // ---- the agents ----

  std::optional<actors::attempt_report> answer(const step_order& o) {
    if (node_.now() >= o.complete_by || is_repeated(o))
      return std::nullopt; // promise: silent, and without an effect
    if (o.action == attempt_action::probe)
      return report_on(o, services_.done.contains(o.reverses) ? report_kind::succeeded : report_kind::denied, "{}");
    const auto luck = healed_ ? 99 : dice_.below(100);
    if (luck < 5)
      return report_on(o, report_kind::declined, "busy");
    if (luck < 10)
      return std::nullopt; // died before the call
    if (luck < 20)
      return refusal(o, report_kind::failed_transient);
    if (luck < 25 && !services_.done.contains(o.key))
      return refusal(o, report_kind::failed_permanent);
    services_.act(o);
    auto success = report_on(o, report_kind::succeeded, "{\"key\":\"" + o.key + "\"}");
    if (luck < 50)
      kept_.push_back(success); // said again later
    if (luck < 35)
      return std::nullopt; // died after the call, or is late
    if (luck < 40)
      success.epoch += dice_.below(3);
    if (luck < 43)
      success.step += static_cast<std::uint32_t>(4 * dice_.below(3)); // there are four steps
    return success;
  }

  /// An order that is repeated joins the attempt; one from an older lock comes from the past.
  bool is_repeated(const step_order& o) {
    auto& newest = ordered_[o.key];
    const std::pair now{o.epoch, o.attempt};
    if (now <= newest)
      return true;
    newest = now;
    return false;
  }

  static actors::attempt_report refusal(const step_order& o, report_kind kind) {
    auto r = report_on(o, kind, "no");
    r.maybe_done = false;
    return r;
  }

  // ---- what happens ----

  void disturb() {
    const auto luck = dice_.below(100);
    if (luck < 3 && submitted_ < 6)
      node_.begin_to_submit("t" + std::to_string(submitted_++));
    else if (luck < 4)
      node_.restart();
    else if (luck < 6)
      act();
    else if (luck < 9 && !kept_.empty())
      node_.agent("a").say(node_.system(), kept_.at(dice_.below(kept_.size())));
    else if (luck < 12)
      node_.system().trigger_timer();
    else
      go_on();
  }

  /// One message of one actor, or the next timer.
  void go_on() {
    auto& system = node_.system();
    if (system.ready() > 0) {
      system.choose(dice_.below(system.ready()));
      system.step();
    } else {
      system.trigger_timer();
    }
  }

  void act() {
    const auto id = "t" + std::to_string(dice_.below(6));
    constexpr std::array acts{task_act::retry,   task_act::undo,   task_act::cancel,
                              task_act::suspend, task_act::resume, task_act::resume};
    const actors::act_on_task m{id, acts.at(dice_.below(acts.size())), {}, {}, false, "grace", "because"};
    node_.system().begin_to_ask<actors::act_result>(node_.gateway, m);
  }

  void heal() {
    healed_ = true;
    node_.restart();
    for (int i = 0; i < submitted_; ++i)
      node_.submit("t" + std::to_string(i));
    for (int i = 0; i < submitted_; ++i)
      if (node_.state("t" + std::to_string(i)) == "suspended")
        node_.act("t" + std::to_string(i), task_act::resume);
    node_.system().advance_until([this] { return all_ended(); }, 2h);
  }

  bool all_ended() {
    for (int i = 0; i < submitted_; ++i)
      if (!workflow::has_ended(node_.task("t" + std::to_string(i))))
        return false;
    return true;
  }

  // ---- what must hold ----

  void check() {
    CHECK(node_.broken_invariants().empty());
    CHECK(services_.faults == std::vector<std::string>{});
    CHECK(node_.store().check().faults == std::vector<std::string>{});
    CHECK(simulation::count_all(node_.store()) == static_cast<std::size_t>(submitted_));
    for (int i = 0; i < submitted_; ++i)
      check(node_.task("t" + std::to_string(i)));
  }

  void check(const workflow::task& t) {
    INFO(t.id << " is " << to_string(t.state) << ": " << t.cause);
    CHECK(workflow::has_ended(t));
    const auto d = node_.store().find_definition(t.workflow, t.version).value();
    for (std::size_t i = 0; i < t.steps.size(); ++i) {
      const auto key = idempotency_key(t, d, i, attempt_action::perform);
      INFO(key << " is " << to_string(t.steps[i].state));
      if (t.state == workflow::process_state::processed)
        CHECK(services_.done.contains(key));
      if (t.state == workflow::process_state::undone && d.steps[i].compensation)
        CHECK((!services_.done.contains(key) || services_.reversed.contains(key)));
      CHECK_FALSE(was_repeated(t.steps[i]));
    }
    if (t.state == workflow::process_state::error)
      CHECK(has_alert(t));
  }

  /// Whether the step was ordered again after its completion was recorded.
  static bool was_repeated(const workflow::step& s) {
    bool is_done = false;
    for (const auto& line : s.log) {
      if (is_done && line.action == attempt_action::perform)
        return true;
      is_done =
        is_done || (line.action == attempt_action::perform && line.outcome == workflow::attempt_outcome::succeeded);
    }
    return false;
  }

  bool has_alert(const workflow::task& t) {
    const auto alerts = node_.store().alerts(true, 1000);
    return std::any_of(alerts.begin(), alerts.end(), [&](const auto& a) { return a.task_number == t.number; });
  }

  dice dice_;
  one_node node_;
  services services_;
  std::map<std::string, std::pair<std::uint64_t, std::uint32_t>> ordered_; ///< the newest order by key
  std::vector<actors::attempt_report> kept_;                               ///< reports that are said again
  int submitted_ = 0;
  bool healed_ = false;
};

} // namespace

TEST_CASE("whatever the order of messages, the faults and the deaths: every task ends, nothing is repeated, undo "
          "misses nothing") {
  const char* only = std::getenv("SEED");
  const std::uint64_t first = only ? std::strtoull(only, nullptr, 10) : 1;
  const std::uint64_t last = only ? first : 60;
  for (auto seed = first; seed <= last; ++seed) {
    INFO("replay with SEED=" << seed);
    random_run{seed}.go();
  }
}
