#include "runtime/simulation/run.hpp"

#include "runtime/json.hpp"
#include "runtime/simulation/cluster.hpp"
#include "workflow/invariants.hpp"
#include "workflow/transition.hpp"

#include <algorithm>
#include <array>
#include <system_error>

namespace steadfast::simulation {

namespace {

using namespace std::chrono_literals;
using actors::task_act;
using workflow::attempt_action;
using workflow::process_state;

/// How bad it gets, drawn anew for each run, so that each run is bad in its own way (swarm testing).
struct weather {
  wire_faults wire;
  disk_faults disk;
  service_faults service;
  workflow::span wall_error{0};
  std::int64_t drift_permille = 0;
  workflow::span between_faults{0}; ///< of kills, freezes, cuts and slow stores
};

std::uint32_t sometimes(chance& c, std::uint32_t permille_max) {
  return c.happens(500) ? static_cast<std::uint32_t>(c.below(permille_max + 1)) : 0;
}

weather draw_weather(chance& c, workflow::span wall_error_max) {
  weather w;
  w.wire.lost_permille = sometimes(c, 100);
  w.wire.doubled_permille = sometimes(c, 100);
  w.wire.delay_max = c.happens(200) ? 3000ms : 30ms;
  w.disk.dies_before_permille = sometimes(c, 3);
  w.disk.dies_after_permille = sometimes(c, 3);
  w.disk.unknown_permille = sometimes(c, 20);
  w.disk.full_permille = sometimes(c, 20);
  w.service.refuses_permille = sometimes(c, 60);
  w.service.busy_permille = sometimes(c, 200);
  w.service.fails_permille = sometimes(c, 100);
  w.service.hangs_permille = sometimes(c, 60);
  w.service.goes_silent_permille = sometimes(c, 60);
  w.service.latency_max = c.happens(200) ? 6000ms : 100ms;
  w.wall_error = c.happens(300) ? wall_error_max : workflow::span{0};
  w.drift_permille = c.happens(300) ? 10 : 0;
  w.between_faults = workflow::span{static_cast<workflow::span::rep>(2000 + c.below(60'000))};
  return w;
}

class one_run {
public:
  explicit one_run(const run_options& o)
      : options_{o},
        world_{o.seed, {}},
        services_{world_, o.workflows},
        cluster_{world_, services_, draw_shape(), o.folder} {
    world_.on_step = o.on_step;
  }

  run_result go() {
    for (const auto& node : cluster_.names())
      cluster_.start(node);
    const auto drawn = draw_weather(world_.chance(), options_.wall_error_max);
    weather_ = options_.is_calm ? weather{} : drawn;
    set(weather_);
    plan_submissions();
    if (!options_.is_calm)
      plan_next_fault();
    if (options_.with_people)
      plan_next_act();
    run_until(options_.faults_for);
    heal();
    run_until_all_ended();
    check();
    result_.trace_hash = world_.trace_hash();
    result_.steps = world_.steps();
    result_.simulated = std::chrono::duration_cast<workflow::span>(world_.now());
    result_.calls = services_.calls();
    return std::move(result_);
  }

private:
  cluster_shape draw_shape() {
    auto& c = world_.chance();
    cluster_shape s;
    s.nodes = static_cast<std::uint32_t>(1 + c.below(4));
    s.in_flight_max = static_cast<std::uint32_t>(1 + c.below(20));
    s.workflows = options_.workflows;
    return s;
  }

  void set(weather w) {
    if (options_.services)
      w.service = *options_.services;
    world_.set_wire(w.wire);
    cluster_.set_disk_faults(w.disk);
    cluster_.set_clock_errors(w.wall_error, w.drift_permille);
    services_.set_faults(w.service);
  }

  // ---- faults ----

  void plan_submissions() {
    const auto count = 1 + world_.chance().below(options_.tasks_max);
    for (std::uint64_t i = 0; i < count; ++i) {
      const auto when = world_.chance().between(workflow::span{0}, options_.faults_for);
      const auto which = world_.chance().below(options_.workflows.size());
      world_.at(when, [this, i, which] { cluster_.submit("task-" + std::to_string(i), options_.workflows[which]); });
    }
  }

  void plan_next_fault() {
    world_.in(world_.chance().between(1ms, 2 * weather_.between_faults), [this] {
      if (is_healed_)
        return;
      strike();
      plan_next_fault();
    });
  }

  void plan_next_act() {
    world_.in(world_.chance().between(1s, 2min), [this] {
      if (is_healed_)
        return;
      constexpr std::array acts{task_act::retry,   task_act::undo,   task_act::cancel,
                                task_act::suspend, task_act::resume, task_act::resume};
      const auto what = acts.at(world_.chance().below(acts.size()));
      const auto which = world_.chance().below(options_.tasks_max);
      cluster_.act("task-" + std::to_string(which), what);
      plan_next_act();
    });
  }

  const std::string& some_node() { return cluster_.names()[world_.chance().below(cluster_.names().size())]; }

  void strike() {
    const auto& node = some_node();
    switch (world_.chance().below(5)) {
      case 0: return kill(node);
      case 1: return world_.freeze(node, world_.chance().between(100ms, 40s));
      case 2: return cut(node);
      case 3: return cluster_.slow_store(world_.chance().between(100ms, 5s));
      default: break;
    }
    for (const auto& name : cluster_.names()) // as after a power cut, each comes back when it can
      if (!cluster_.is_up(name))
        start_later(name);
  }

  void kill(const std::string& node) {
    ++result_.kills;
    const bool is_noticed = world_.chance().happens(700);
    cluster_.kill(node, is_noticed);
    start_later(node);
  }

  void start_later(const std::string& node) {
    world_.in(world_.chance().between(10ms, 30s), [this, node] { cluster_.start(node); });
  }

  void cut(const std::string& node) {
    const auto& other = some_node();
    if (node == other)
      return;
    const bool both_ways = world_.chance().happens(500);
    const auto time = world_.chance().between(100ms, 60s);
    world_.cut(node, other);
    if (both_ways)
      world_.cut(other, node);
    world_.in(time, [this, node, other] {
      world_.heal(node, other);
      world_.heal(other, node);
    });
  }

  // ---- healing ----

  void heal() {
    is_healed_ = true;
    auto calm = weather{};
    calm.service.latency_max = 50ms;
    set(calm);
    world_.heal_all();
    cluster_.set_clocks_right();
    start_all();
  }

  /// A process that died of its last fault is started again until none does.
  void start_all() {
    for (const auto& node : cluster_.names())
      cluster_.start(node);
  }

  void run_until(workflow::span when) {
    while (world_.step(when)) {
    }
  }

  void run_until_all_ended() {
    const auto end = world_.now() + options_.heal_max;
    while (world_.now() < end && !all_ended()) {
      start_all();
      resume_all();
      run_until(std::chrono::duration_cast<workflow::span>(world_.now()) + 10s);
    }
  }

  void resume_all() {
    store::task_filter suspended;
    suspended.states = {process_state::suspended};
    for (const auto& t : cluster_.store().list(suspended, std::nullopt, options_.tasks_max).tasks)
      cluster_.act(t.id, task_act::resume);
  }

  bool all_ended() {
    if (cluster_.acknowledged().size() < cluster_.submitted().size() || !cluster_.is_up(cluster_.store_node()))
      return false;
    store::task_filter open;
    open.states = {process_state::pending, process_state::processing, process_state::undoing, process_state::suspended};
    return cluster_.store().count(open, 1) == 0;
  }

  // ---- what must hold ----

  void expect(bool holds, const std::string& sentence) {
    if (!holds)
      result_.violations.push_back(sentence);
  }

  void check() {
    start_all();
    auto& s = cluster_.store();
    result_.tasks = cluster_.acknowledged().size();
    for (const auto& fault : s.check().faults)
      expect(false, "the store is broken: " + fault);
    for (const auto& complaint : services_.complaints())
      expect(false, complaint);
    expect(cluster_.acknowledged().size() == cluster_.submitted().size(), "a submission was never acknowledged");
    expect(s.count({}, 1'000'000) <= cluster_.submitted().size(), "there are tasks that nobody submitted");
    for (const auto& id : cluster_.acknowledged()) {
      const auto t = s.find(id);
      expect(t.has_value(), id + " was acknowledged and is lost");
      if (!t)
        continue;
      const auto d = *s.find_definition(t->workflow, t->version);
      check_task(*t, d);
      if (is_spoken_of(id))
        result_.stories.push_back(json_line(task_json(*t, d)));
    }
  }

  bool is_spoken_of(const std::string& id) const {
    return std::any_of(result_.violations.begin(), result_.violations.end(), [&](const std::string& v) {
      return v.starts_with(id + " ") || v.starts_with(id + "/") || v.starts_with(id + ":");
    });
  }

  void check_task(const workflow::task& t, const workflow::definition& d) {
    for (const auto& broken : workflow::broken_invariants(t, d))
      expect(false, t.id + ": " + broken);
    expect(workflow::has_ended(t), t.id + " did not end: it is " + std::string{to_string(t.state)});
    result_.processed += t.state == process_state::processed ? 1 : 0;
    result_.undone += t.state == process_state::undone ? 1 : 0;
    result_.in_error += t.state == process_state::error ? 1 : 0;
    result_.took.push_back(t.ended_at - t.submitted_at);
    for (std::size_t i = 0; i < t.steps.size(); ++i)
      check_step(t, d, i);
    if (t.state == process_state::error)
      expect(has_alert(t), t.id + " is in error and nobody was alerted");
  }

  void check_step(const workflow::task& t, const workflow::definition& d, std::size_t i) {
    const auto key = workflow::idempotency_key(t, d, i, attempt_action::perform);
    const bool took_place = services_.was_done(key);
    const bool stands = took_place && !services_.was_reversed(key);
    if (t.state == process_state::processed && t.steps[i].state == workflow::step_state::completed)
      expect(stands, key + " is completed in a processed task, and did not happen");
    if (t.state == process_state::undone && d.steps[i].compensation)
      expect(!stands, key + " happened, and was not undone in an undone task");
    else if (t.state == process_state::undone && stands)
      ++result_.left_in_place[d.steps[i].name];
    expect(!was_repeated(t.steps[i]), key + " was ordered again after it was completed");
  }

  static bool was_repeated(const workflow::step& s) {
    bool is_done = false;
    for (const auto& line : s.log) {
      if (line.action != attempt_action::perform)
        continue;
      if (is_done)
        return true;
      is_done = line.outcome == workflow::attempt_outcome::succeeded;
    }
    return false;
  }

  bool has_alert(const workflow::task& t) {
    const auto alerts = cluster_.store().alerts(true, 100'000);
    return std::any_of(alerts.begin(), alerts.end(), [&](const auto& a) { return a.task_number == t.number; });
  }

  const run_options& options_;
  world world_;
  services services_;
  cluster cluster_;
  weather weather_; ///< until all is healed
  bool is_healed_ = false;
  run_result result_;
};

} // namespace

void add(run_result& to, const run_result& more) {
  to.steps += more.steps;
  to.simulated += more.simulated;
  to.tasks += more.tasks;
  to.processed += more.processed;
  to.undone += more.undone;
  to.in_error += more.in_error;
  to.kills += more.kills;
  to.calls += more.calls;
  to.took.insert(to.took.end(), more.took.begin(), more.took.end());
  for (const auto& [step, count] : more.left_in_place)
    to.left_in_place[step] += count;
}

run_result run(const run_options& options) {
  std::filesystem::remove_all(options.folder);
  std::filesystem::create_directories(options.folder);
  run_result result;
  {
    one_run r{options};
    result = r.go();
  }
  std::error_code ignored;
  std::filesystem::remove_all(options.folder, ignored);
  return result;
}

} // namespace steadfast::simulation
