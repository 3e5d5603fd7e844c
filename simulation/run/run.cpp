#include "simulation/run/run.hpp"

#include "runtime/text/json.hpp"
#include "simulation/judge/count_all.hpp"
#include "simulation/run/aftermath.hpp"
#include "simulation/run/cluster.hpp"
#include "simulation/run/elsewhere.hpp"
#include "simulation/run/ending.hpp"
#include "simulation/run/family_ending.hpp"
#include "simulation/run/people.hpp"
#include "simulation/services/injected_faults.hpp"
#include "workflow/transition/transition.hpp"

#include <algorithm>
#include <deque>
#include <limits>
#include <system_error>

namespace steadfast::simulation {

namespace {

using namespace std::chrono_literals;
using actors::task_act;
using workflow::process_state;

constexpr std::uint64_t seed_of_people = 0x9e0'91e; ///< so that they draw differently from the world
constexpr std::uint64_t seed_of_model = 0x30de1;
constexpr std::uint64_t seed_of_elsewhere = 0xe15e;
constexpr std::uint64_t seed_of_moves = 0x30'5e5;
constexpr workflow::span looks_at_calls_each{1000};
constexpr workflow::span looks_at_ends_each{10'000};
constexpr workflow::span rests_after{30'000};  ///< without any change of a task
constexpr workflow::span wakes_before{60'000}; ///< so that all have their leases again
constexpr workflow::span rests_at_least{240'000};

class one_run {
public:
  explicit one_run(const run_options& o)
      : options_{o},
        world_{o.seed, {}},
        watch_{o.workflows, world_.rows()},
        services_{world_, watch_, o.workflows},
        medium_{o.make_medium && wants("medium") && !o.is_calm ? o.make_medium(o.folder, o.seed) : nullptr},
        people_{world_, cluster_, watch_, o.seed ^ ~seed_of_people},
        ending_{o, world_, services_, cluster_, result_},
        aftermath_{world_, cluster_, services_, watch_, o},
        cluster_{world_, services_, watch_, draw_shape(), o.folder, medium_.get()} {
    world_.on_step = o.on_step;
    if (o.keep_evidence)
      services_.keep_log();
    if (o.services) {
      services_.declare(o.services->by_agent);
      cluster_.declare(*o.services);
      watch_.do_not_trust(steps_not_to_trust(o));
    }
    if (o.with_people && !is_crowded_) {
      for (std::uint32_t i = 0; i < cluster_.shape().partitions; ++i)
        watch_.let_model(i, models_.emplace_back(
                              o.workflows, o.seed ^ (seed_of_model + i),
                              [this](std::string s) { watch_.complain(std::move(s)); },
                              workflow::partition{i, cluster_.shape().partitions}));
      services_.answer_at_length();
    }
    watch_.on_stored = [this](const std::string& id) { ending_.on_stored(id); };
    watch_.on_ended = [this](const std::string& id) { ending_.on_ended(id); };
    watch_.on_claimed = [this](const workflow::task& t) { cluster_.expect_not_drained(t); };
    services_.on_call = [this](const std::string& node, const actors::call& what) { aftermath_.on_call(node, what); };
    watch_.on_acknowledged_notices = [this](std::uint64_t task, std::uint32_t sequence) {
      if (sequence > cluster_.listener().heard_of(task))
        watch_.complain("progress " + std::to_string(sequence) + " of task number " + std::to_string(task)
                        + " was taken for seen, and nobody has heard of it (P17)");
    };
    watch_.on_purged = [this](const workflow::task& t) { on_purged(t); };
    if (!workflow::keeps_all(cluster_.shape().keep))
      watch_.let_leave();
  }

  run_result go() {
    if (options_.record) {
      options_.record->faults_for = options_.faults_for;
      cluster_.record(*options_.record);
      services_.record(*options_.record);
    }
    if (options_.play)
      play(*options_.play);
    else
      draw_all();
    plan_next_listening();
    run_until(options_.play ? options_.play->faults_for : options_.faults_for);
    heal();
    run_until_all_ended();
    run_until(std::chrono::ceil<workflow::span>(services_.at_work_until())); // later effects count too
    if (has_aftermath())
      aftermath_.play([this](workflow::span time) { run_for(time); }, [this] { return is_broken(); });
    if (!is_broken() && medium_ && !cluster_.shape().store_moves) {
      cluster_.cut_power();
      cluster_.kill(cluster_.store_node(), true);
      cluster_.start(cluster_.store_node());
    }
    check();
    result_.trace_hash = world_.trace_hash();
    result_.steps = world_.steps();
    result_.simulated = std::chrono::duration_cast<workflow::span>(world_.now());
    result_.calls = services_.calls();
    for (const auto& [step, figures] : services_.figures())
      simulation::add(result_.by_step[step], figures);
    result_.rows = world_.rows();
    return std::move(result_);
  }

private:
  void draw_all() {
    if (options_.with_people && !is_crowded_)
      cluster_.draw_calendar();
    for (const auto& node : cluster_.names())
      cluster_.start(node);
    const auto drawn = draw_fault_rates(world_.chance(), options_.wall_error_max);
    rates_ = options_.is_calm ? simulation::fault_rates{} : drawn;
    if (is_crowded_)
      calm_down_for_a_crowd(rates_);
    set(rates_);
    plan_submissions();
    if (!options_.is_calm)
      plan_faults();
    if (cluster_.shape().store_moves && wants("moves"))
      plan_moves();
    if (options_.with_people) {
      people_.begin();
      if (!is_crowded_)
        cluster_.plan_schedules();
      look_elsewhere_once();
      look_at_calls();
    }
  }

  /// Now and then somebody checks a copy of the store, and imports tasks into another one.
  void look_elsewhere_once() {
    simulation::chance c{options_.seed ^ seed_of_elsewhere};
    if (!c.happens(200) || is_crowded_)
      return;
    world_.at(c.between(workflow::span{0}, options_.faults_for), [this] {
      if (!cluster_.has_store())
        return;
      const auto count = cluster_.shape().partitions;
      const workflow::partition some{static_cast<std::uint32_t>(options_.seed % count), count};
      try {
        look_elsewhere(cluster_.store_of(some.index), some, options_.folder.string() + "-elsewhere",
                       [this](std::string s) { watch_.complain(std::move(s)); });
      } catch (const store::store_error& e) { // the disk of the cluster's store failed
        world_.tell(std::string{"the store cannot be copied: "} + e.what());
      }
    });
  }

  void look_at_calls() {
    world_.in(looks_at_calls_each, [this] {
      look_at_calls();
      if (world_.now() > cluster_.disturbed_until())
        services_.expect_none_goes_on(cluster_.disturbed_until());
    });
  }

  /// What is not in the script succeeds.
  void play(const script& s) {
    set(simulation::fault_rates{});
    cluster_.set_medium_faults(false);
    services_.play(s);
    cluster_.play(s);
  }

  cluster_shape draw_shape() {
    if (options_.play)
      return options_.play->shape;
    auto& c = world_.chance();
    cluster_shape s;
    s.nodes = static_cast<std::uint32_t>(1 + c.below(4));
    s.in_flight_max = static_cast<std::uint32_t>(1 + c.below(20));
    const bool is_slow = c.happens(200);
    s.agent_concurrency = is_slow ? 1 : 64;
    s.agent_queue = is_slow ? 1 : 1024;
    s.agent_homes_permille = c.happens(300) ? 300 : 1000;
    s.workflows = options_.workflows;
    s.medium_seed = options_.seed;
    is_crowded_ = options_.tasks_max > 1 && !options_.is_calm && c.happens(1) && options_.with_crowds;
    if (options_.with_people)
      draw_ways_of_people(s);
    if (options_.partitions > 0 && !is_crowded_)
      s.partitions = options_.partitions;
    if (s.partitions > 1) {
      s.store_moves = true;
      s.nodes = std::max(s.nodes, 2U);
      s.in_flight_max = std::max(s.in_flight_max, s.partitions); // each has a share of it
    }
    if (!is_crowded_)
      return s;
    s.keep = {};
    s.nodes = 1;
    s.in_flight_max = s.agent_queue = 2 * crowd;
    s.agent_concurrency = 2 * crowd; // a task that no agent takes is not in flight
    return s;
  }

  /// What people have configured. Drawn separately, so that a run without people is the same.
  void draw_ways_of_people(cluster_shape& s) const {
    simulation::chance c{options_.seed ^ seed_of_people};
    s.with_people = true;
    s.people_seed = options_.seed + seed_of_people;
    if (c.happens(250))
      s.keep.keep_for = c.between(1min, 3min);
    if (c.happens(200))
      s.call_limit = c.between(500ms, 5s);
    if (c.happens(500))
      s.review_max = static_cast<std::uint32_t>(1 + c.below(3));
    s.with_only_one = c.happens(500);
    s.store_moves = s.nodes > 1 && c.happens(250);
    if (s.store_moves && !is_crowded_ && c.happens(400))
      s.partitions = static_cast<std::uint32_t>(2 + c.below(2));
  }

  bool has_aftermath() const { return options_.with_people && !is_crowded_ && !is_broken(); }

  void on_purged(const workflow::task& t) {
    if (const auto* d = watch_.definition_of(t))
      ending_.check_purged(t, *d);
    if (cluster_.submitted().contains(t.id)) // else a schedule made it, and nobody does so again
      people_.on_left(t.id);
  }

  bool wants(std::string_view fault) const {
    return options_.only.empty() || options_.only.contains(std::string{fault});
  }

  /// So that many tasks come together at all: nothing stops their node again and again, and none is served quickly.
  static void calm_down_for_a_crowd(simulation::fault_rates& w) {
    w.wire = {};
    w.disk = {};
    w.service.latency_min = w.service.latency_max = 1s;
  }

  void set(simulation::fault_rates w) {
    if (options_.services)
      w.service = options_.services->usual;
    if (wants("wire"))
      world_.set_wire(w.wire);
    if (wants("disk"))
      cluster_.set_disk_faults(w.disk);
    cluster_.set_medium_faults(!is_healed_);
    if (wants("clocks"))
      cluster_.set_clock_errors(w.wall_error, w.drift_permille);
    if (wants("services") || options_.services)
      services_.set_faults(w.service);
  }

  // ---- clients and people ----

  void plan_submissions() {
    auto& c = world_.chance();
    const auto count = is_crowded_ ? crowd + crowd / 5 : 1 + c.below(options_.tasks_max);
    const auto drawn = c.happens(20) ? c.below(count) : count;
    const auto poisonous = !options_.is_calm && wants("poison") ? drawn : count;
    std::string poison_id;
    for (std::uint64_t i = 0; i < count; ++i) {
      const auto when = c.between(workflow::span{0}, is_crowded_ ? workflow::span{1s} : options_.faults_for);
      const auto which = c.below(options_.workflows.size());
      const auto id =
        begin_of_id(i, options_.workflows[which]) + (i == poisonous ? "poison-" : "task-") + std::to_string(i);
      if (i == poisonous)
        poison_id = id;
      world_.at(when, [this, id, which] { cluster_.submit(id, options_.workflows[which]); });
    }
    if (!poison_id.empty())
      poison(poison_id);
    if (is_crowded_)
      kill_in_crowd();
  }

  /// Tasks that a limit counts together are in one partition.
  std::string begin_of_id(std::uint64_t i, const workflow::definition& d) const {
    return cluster_.shape().partitions > 1 && d.limit ? "key" + std::to_string(i % 3) + "/" : "";
  }

  /// A scheduler with many tasks in flight dies. They come within seconds, or not at all.
  void kill_in_crowd() {
    for (const auto& node : cluster_.names())
      if (std::count_if(watch_.tasks().begin(), watch_.tasks().end(),
                        [&](const auto& x) { return x.second.locked_by == node; })
          >= crowd)
        return kill(node, true, 1s);
    if (world_.now() < 1min)
      world_.in(500ms, [this] { kill_in_crowd(); });
  }

  /// Kills each scheduler that takes the task. One that starts again is well until it takes it again, also if it is on
  /// the same node: else none could, of a store that moves to that node each time.
  void poison(const std::string& id, std::uint64_t last_epoch = 0) {
    world_.in(1s, [this, id, last_epoch] {
      std::string victim;
      auto epoch = last_epoch;
      for (const auto& [number, t] : watch_.tasks())
        if (t.id == id && !workflow::has_ended(t) && t.lock_epoch > last_epoch) {
          victim = t.locked_by;
          epoch = t.lock_epoch;
        }
      if (!victim.empty())
        kill(victim, true, 100ms);
      poison(id, epoch);
    });
  }

  void plan_next_listening() {
    world_.in(world_.chance().between(1s, 60s), [this] {
      cluster_.listen();
      plan_next_listening();
    });
  }

  // ---- faults ----

  void plan_faults() {
    const auto all = draw_faults(world_.chance(), rates_, cluster_.names().size(), options_.faults_for);
    for (std::size_t i = 0; i < all.size(); ++i) {
      const auto& s = all[i];
      const bool comes = wants(name_of(s.what)) && !options_.skipped.contains(i);
      result_.injected_faults.push_back(comes ? text_of(s) : "");
      if (comes)
        world_.at(s.at, [this, s] { carry_out(s); });
    }
  }

  /// Whoever has the store loses it, or lets it go.
  void plan_moves() {
    simulation::chance c{options_.seed ^ seed_of_moves};
    for (auto when = c.between(5s, 60s); when < options_.faults_for; when += c.between(5s, 60s)) {
      const auto what = c.below(options_.is_calm ? 2 : 4);
      const auto time = c.between(1s, 20s);
      const auto partitions = cluster_.shape().partitions;
      const auto which = partitions > 1 ? static_cast<std::uint32_t>(c.below(partitions)) : 0;
      world_.at(when, [this, what, which, time] { move_store(what, which, time); });
    }
  }

  void move_store(std::uint64_t what, std::uint32_t partition, workflow::span time) {
    const auto node = cluster_.store_node(partition);
    if (!cluster_.is_up(node))
      return;
    switch (what) {
      case 0: return stop(node, time);
      case 1: cluster_.drain(node); return world_.in(time, [this, node] { stop(node, 1s); });
      case 2: return cluster_.freeze(node, time);
      default: kill(node, true, time);
    }
  }

  void carry_out(const injected_fault& s) {
    using kind = injected_fault::kind;
    const auto& node = cluster_.names()[s.node];
    switch (s.what) {
      case kind::kill: return kill(node, s.both, s.time);
      case kind::stop: return stop(node, s.time);
      case kind::freeze: return cluster_.freeze(node, s.time);
      case kind::cut: return cluster_.cut(node, cluster_.names()[s.other], s.both, s.time);
      case kind::slow_store: return cluster_.slow_store(s.time);
      case kind::hang_scheduler: return cluster_.hang(node, "scheduler", s.time);
      case kind::hang_supervisor: return cluster_.hang(node, "supervisor", s.time);
      case kind::no_supervisor: return cluster_.suspend_supervisors(s.time);
      case kind::stray_answers: return cluster_.send_stray_answers(node);
      case kind::power_cut:
        cluster_.cut_power();
        for (const auto& name : cluster_.names())
          kill(name, true, s.time);
    }
  }

  void kill(const std::string& node, bool is_noticed, workflow::span away) {
    result_.kills += cluster_.is_up(node) ? 1 : 0;
    cluster_.crash(node, is_noticed);
    world_.in(away, [this, node] { cluster_.start(node); });
  }

  void stop(const std::string& node, workflow::span away) {
    cluster_.stop(node);
    const auto ends_in = cluster_.shape().store_moves ? 4s : 1s;
    world_.in(ends_in + away, [this, node] { cluster_.start(node); });
  }

  // ---- healing ----

  void heal() {
    is_healed_ = true;
    people_.end();
    simulation::fault_rates calm;
    calm.service.latency_max = 50ms;
    set(calm);
    world_.heal_all();
    cluster_.set_clocks_right();
    start_all();
    if (!is_crowded_)
      aftermath_.watch_the_clock();
  }

  /// A process that died of its last fault is started again until none does.
  void start_all() {
    for (const auto& node : cluster_.names())
      cluster_.start(node);
  }

  bool is_broken() const {
    return !result_.violations.empty() || !watch_.violations().empty() || !services_.complaints().empty()
           || !cluster_.listener().complaints().empty() || !world_.complaints().empty();
  }

  /// Until then, or until a promise is broken: what comes after that says less.
  void run_until(workflow::span when) {
    while (!is_broken() && world_.step(when)) {
    }
  }

  void run_for(workflow::span time) { run_until(std::chrono::duration_cast<workflow::span>(world_.now()) + time); }

  void run_until_all_ended() {
    const auto end = world_.now() + options_.heal_max;
    while (!is_broken() && world_.now() < end && !all_ended()) {
      start_all();
      cluster_.remove_schedules();
      resume_all();
      run_for(looks_at_ends_each);
      if (options_.services)
        rest_while_all_wait();
    }
  }

  /// Nothing has happened for a while, and the next thing is far away: until then the nodes are down, and days of
  /// waiting cost no steps.
  void rest_while_all_wait() {
    std::uint64_t revisions = 0;
    for (const auto& [number, t] : watch_.tasks())
      revisions += t.revision;
    is_quiet_for_ = revisions == seen_revisions_ ? is_quiet_for_ + looks_at_ends_each : workflow::span{0};
    seen_revisions_ = revisions;
    if (is_quiet_for_ < rests_after)
      return;
    const auto left = time_until_something();
    if (left < rests_at_least)
      return;
    world_.tell("all wait: the nodes rest");
    for (const auto& node : cluster_.names())
      cluster_.stop(node);
    run_for(left - wakes_before);
    cluster_.start_by_same_clock(); // by another one, what settles would have to settle again
    is_quiet_for_ = workflow::span{0};
  }

  /// Until a task is due, or is told something; 0 when a service is at work for one.
  workflow::span time_until_something() {
    const auto now = cluster_.clock_now(); // with declared services there is one partition
    if (now == workflow::unset || cluster_.acknowledged().size() < cluster_.submitted().size())
      return workflow::span{0};
    auto next = workflow::never;
    for (const auto& [number, t] : watch_.tasks()) {
      const auto* d = workflow::has_ended(t) ? nullptr : watch_.definition_of(t);
      if (!d)
        continue;
      next = std::min({next, workflow::next_due(t, *d), place_free_at(t, *d, now)});
      if (t.not_before > now)
        next = std::min(next, t.not_before);
      t.steps.each_summary([&](const workflow::step_summary& s) {
        if (s.open_until != workflow::never)
          next = now;
        if (s.wakes_at > now)
          next = std::min(next, s.wakes_at);
      });
    }
    const auto told = cluster_.next_told();
    const auto most = std::min(options_.heal_max, std::chrono::floor<workflow::span>(told - world_.now()));
    return next == workflow::never ? most : std::min(most, next - now);
  }

  /// When the first place that an ended task keeps is free for this one; never: it waits for none.
  workflow::instant place_free_at(const workflow::task& t, const workflow::definition& d, workflow::instant now) {
    if (!d.limit || t.state != process_state::pending || !cluster_.has_store())
      return workflow::never;
    const auto queue = cluster_.store().find_limit_queue(t.number);
    return queue && queue->free_at > now ? queue->free_at : workflow::never;
  }

  void resume_all() {
    if (!cluster_.has_store())
      return;
    store::task_filter suspended;
    suspended.states = {process_state::suspended};
    for (const auto& t : cluster_.store().list(suspended, std::nullopt, options_.tasks_max).tasks)
      cluster_.act({t.id, task_act::resume, {}, {}, false, "grace", "because"});
  }

  bool all_ended() {
    if (cluster_.acknowledged().size() < cluster_.submitted().size() || !cluster_.has_store())
      return false;
    store::task_filter open;
    open.states = {process_state::pending, process_state::processing, process_state::undoing, process_state::suspended};
    if (!cluster_.store().bulk_acts(true, {}, 1).acts.empty() || !cluster_.store().schedules({}, 1).empty())
      return false;
    return count_all(cluster_.store(), open) == 0 && cluster_.store().notices(observer::name, 0, 0, 1).empty();
  }

  // ---- what must hold ----

  void expect(bool holds, const std::string& sentence) {
    if (!holds)
      result_.violations.push_back(sentence);
  }

  void check() {
    for (const auto* complaints :
         {&watch_.violations(), &services_.complaints(), &cluster_.listener().complaints(), &world_.complaints()})
      result_.violations.insert(result_.violations.end(), complaints->begin(), complaints->end());
    if (is_broken())
      return tell_stories();
    check_end();
    tell_stories();
  }

  void check_end() {
    start_all();
    for (int i = 0; i < 60 && !cluster_.has_store(); ++i)
      run_for(1s);
    auto& s = cluster_.store();
    result_.tasks = cluster_.acknowledged().size();
    if (rates_.wall_error > workflow::span{0} && wants("clocks"))
      world_.reached(row::wall_clock_wrong);
    if (rates_.drift_permille > 0 && wants("clocks"))
      world_.reached(row::steady_clocks_drift);
    if (cluster_.listener().caught_up() > 1)
      world_.reached(row::observer_away);
    for (const auto& fault : s.check().faults)
      expect(false, "the store is broken: " + fault);
    expect(s.bulk_acts(true, {}, 1).acts.empty(), "a bulk act did not end");
    expect(cluster_.acknowledged().size() == cluster_.submitted().size(), "a submission was never acknowledged");
    for (const auto& a : s.alerts(true, std::numeric_limits<std::size_t>::max()))
      alerted_.insert(a.task_number);
    family_ending families{s, ending_, alerted_, result_};
    for (const auto& id : cluster_.acknowledged()) {
      const auto t = s.find(id);
      expect(t.has_value() || cluster_.has_left(id), id + " was acknowledged and is lost");
      if (!t)
        continue;
      const auto d = *s.find_definition(t->workflow, t->version);
      ending_.check_end_of(*t, d, alerted_.contains(t->number));
      families.check_children_of(*t, d);
    }
    result_.tasks += families.children();
    each_task(s, [&](const workflow::task& t) {
      expect(cluster_.submitted().contains(t.id) || !t.parent.empty() || watch_.look_at_scheduled(t),
             t.id + " is a task that nobody submitted");
    });
    if (options_.keep_evidence)
      ending_.keep_evidence(alerted_);
  }

  void tell_stories() {
    for (const auto& [number, t] : watch_.tasks())
      if (const auto* d = watch_.definition_of(t); d && is_spoken_of(t.id))
        result_.stories.push_back(json_line(task_json(t, *d)));
  }

  bool is_spoken_of(const std::string& id) const {
    return std::any_of(result_.violations.begin(), result_.violations.end(), [&](const std::string& v) {
      return v.starts_with(id + " ") || v.starts_with(id + "/") || v.starts_with(id + ":");
    });
  }

  static constexpr std::uint32_t crowd = 10'000;

  const run_options& options_;
  run_result result_;
  world world_;
  bool is_crowded_ = false; ///< there are many tasks at once
  watch watch_;
  std::deque<store_model> models_; ///< of each partition
  services services_;
  std::unique_ptr<medium> medium_; ///< null: nothing fails below the store
  // Actors that end with the cluster may still tell them something.
  people people_;
  ending ending_;
  aftermath aftermath_;
  cluster cluster_;
  simulation::fault_rates rates_; ///< until all is healed
  bool is_healed_ = false;
  std::uint64_t seen_revisions_ = 0; ///< of all tasks together
  workflow::span is_quiet_for_{0};
  std::set<std::uint64_t> alerted_; ///< tasks with an open alert, at the end
};

} // namespace

void add(run_result& to, const run_result& more) {
  to.steps += more.steps;
  to.simulated += more.simulated;
  to.tasks += more.tasks;
  to.processed += more.processed;
  to.undone += more.undone;
  to.in_error += more.in_error;
  to.residue += more.residue;
  to.doubled += more.doubled;
  to.missing += more.missing;
  to.kills += more.kills;
  to.calls += more.calls;
  for (const auto& [state, lengths] : more.took)
    to.took[state].add(lengths);
  for (const auto& [row, count] : more.rows)
    to.rows[row] += count;
  for (const auto& [step, figures] : more.by_step)
    add(to.by_step[step], figures);
  for (const auto& [cause, figures] : more.undo_for)
    add(to.undo_for[cause], figures);
  for (const auto& [cause, figures] : more.error_for)
    add(to.error_for[cause], figures);
}

run_result run(const run_options& options) {
  std::filesystem::remove_all(options.folder);
  std::filesystem::create_directories(options.folder);
  run_result result;
  {
    one_run r{options};
    try {
      result = r.go();
    } catch (const store::store_error& e) {
      result.violations.emplace_back(std::string{"the store cannot be used, and its disk is well: "} + e.what());
    }
  }
  std::error_code ignored;
  std::filesystem::remove_all(options.folder, ignored);
  return result;
}

} // namespace steadfast::simulation
