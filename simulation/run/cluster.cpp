#include "simulation/run/cluster.hpp"

#include "actors/agents/agents.hpp"
#include "actors/protocol/type_ids.hpp"
#include "store/contract/options.hpp"
#include "store/engine/lmdb_store.hpp"
#include "store/records/record.hpp"
#include "store/upkeep/restore.hpp"
#include "workflow/task/partition.hpp"

#include <caf/event_based_actor.hpp>
#include <caf/sec.hpp>
#include <caf/typed_event_based_actor.hpp>
#include <caf/typed_response_promise.hpp>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace steadfast::simulation {

namespace {

using namespace std::chrono_literals;

constexpr workflow::span drain_limit{20'000};

std::string address_of(const std::string& node) {
  return node + ":1";
}

void register_all(store::state_store& s, const std::vector<workflow::definition>& definitions) {
  std::vector<store::write> writes;
  writes.reserve(definitions.size());
  for (const auto& d : definitions)
    writes.emplace_back(store::register_definition{d});
  for (const auto& o : s.commit(writes))
    if (o.result != store::write_status::applied)
      throw std::runtime_error{"a definition was refused: " + o.why};
}

void keep_all(process& p, const node_parts& parts) {
  for (const auto& part : all_of(parts))
    p.keep(part.actor);
}

} // namespace

cluster::cluster(world& w, services& remote, watch& commits, cluster_shape shape, const std::filesystem::path& folder,
                 medium* below)
    : world_{w},
      services_{remote},
      watch_{commits},
      shape_{std::move(shape)},
      folder_{folder},
      store_path_{folder / "store"},
      medium_{shape_.store_moves ? nullptr : below},
      medium_chance_{shape_.medium_seed},
      people_chance_{shape_.people_seed},
      told_chance_{~shape_.people_seed} {
  services_.takes_on = [this](const std::string& token, const std::string& result) { return takes_on(token, result); };
  for (std::uint32_t i = 1; i <= shape_.nodes; ++i)
    names_.push_back("node-" + std::to_string(i));
  seats_.resize(shape_.partitions);
  for (auto& s : seats_)
    s.owner = names_.front();
  watch_.set_partitions(shape_.partitions);
  draw_homes();
  services_.set_places(shape_.agent_concurrency);
  world_.set_patience(shape_.lease.ttl);
}

void cluster::draw_homes() {
  for (const auto& d : shape_.workflows)
    for (const auto& agent : workflow::agents_of(d)) {
      auto& nodes = homes_[agent];
      nodes.insert(names_[world_.chance().below(names_.size())]);
      for (const auto& name : names_)
        if (world_.chance().happens(shape_.agent_homes_permille))
          nodes.insert(name);
    }
}

cluster::~cluster() {
  for (const auto& name : names_)
    kill(name, true);
  world_.end();
}

// ---- life and death ----

node_options cluster::options_of(const std::string& node) const {
  node_options o;
  o.name = node;
  o.roles.store = shape_.store_moves || node == store_node();
  o.cluster.listen = address_of(node);
  if (!o.roles.store)
    o.cluster.join = address_of(store_node());
  o.cluster.lease = o.supervisor_lease = shape_.lease;
  o.in_flight_max = shape_.in_flight_max;
  o.retention.others = shape_.keep;
  o.socket.clear();
  return o;
}

clock_error cluster::draw_clock_error(const std::string& node) {
  clock_error e;
  e.wall = wall_error_least_ + world_.chance().between(-wall_error_max_, wall_error_max_);
  const auto range = static_cast<std::uint64_t>(2 * drift_permille_max_ + 1);
  e.drift_permille = static_cast<std::int64_t>(world_.chance().below(range)) - drift_permille_max_;
  if (shape_.store_moves)
    furthest_ahead_ = std::max(furthest_ahead_, e.wall);
  return node == store_node() && !shape_.store_moves ? draw_store_clock(e) : e;
}

clock_error cluster::draw_store_clock(clock_error drawn) {
  if (store_clock_ && world_.chance().happens(500) && !(medium_ && is_power_cut_))
    return *store_clock_;
  furthest_ahead_ = std::max(furthest_ahead_, drawn.wall);
  return drawn;
}

store::store_options cluster::store_options_now() {
  store::store_options o;
  o.path = store_path_;
  o.size_max = 1 << 30;
  o.size_reserve = 1 << 20;
  o.recent_ids_max = 8;     // so that they are moved in a run
  o.journal_max = 64 << 10; // each start reads it
  o.journal_name = ++store_starts_;
  o.epochs_from = store::epochs_at(1'700'000'000 + store_starts_);
  return o;
}

/// A store that nobody has open is a copy too, with everything acknowledged, and it can be restored twice.
bool cluster::restore_now_and_then() {
  if (!medium_ || !medium_fails_ || !medium_chance_.happens(30))
    return false;
  const auto from = store_path_;
  for (auto times = 1 + medium_chance_.below(2); times > 0; --times) {
    auto to = store_options_now();
    to.path = folder_ / ("store-" + std::to_string(store_starts_));
    store::restore(from, to, false);
    store_path_ = to.path;
  }
  world_.tell("the store was restored");
  world_.reached(row::copy_restored);
  return true;
}

std::shared_ptr<disk> cluster::open_disk(std::uint32_t partition) {
  if (medium_) {
    if (is_power_cut_ && store_starts_ > 0)
      world_.reached(row::power_cut);
    medium_->start(std::exchange(is_power_cut_, false));
  }
  const bool is_restored = restore_now_and_then();
  auto o = store_options_now();
  o.partition = {partition, shape_.partitions};
  if (shape_.partitions > 1)
    o.path = store::partition_folder(o.path, partition);
  auto real = store::open_lmdb_store(o);
  register_all(*real, shape_.workflows);
  watch_.on_store_started(partition, *real, is_restored);
  return std::make_shared<disk>(
    std::move(real), disk_faults_, world_.chance(),
    [this, partition](const auto* s, const auto& batch, const auto& outcomes, commit_fate fate) {
      if (s) // else nobody knows what the store would have said
        expect_sound_medium();
      watch_.on_commit(partition, s, batch, outcomes, fate);
    });
}

/// Null: the process died of it, and will be started again.
std::shared_ptr<disk> cluster::try_open_disk(const std::string& node, std::uint32_t partition) {
  try {
    return open_disk(partition);
  } catch (const store::store_error& e) {
    if (!medium_ || (!medium_->is_stopped() && medium_->failures() == 0 && !medium_fails_))
      throw;
    world_.tell("the store of " + node + " was not opened: " + e.what());
    return nullptr;
  }
}

void cluster::expect_sound_medium() {
  if (medium_ && medium_->failures(store_path_ / "data.mdb") + medium_->failures(store_path_ / "journal") > 0)
    watch_.on_unsound_commit();
}

void cluster::start(const std::string& node) {
  if (is_up(node))
    return;
  disturb(0ms);
  ++nodes_started_;
  const auto error = next_clock_ ? *std::exchange(next_clock_, std::nullopt) : draw_clock_error(node);
  note(script::happening::kind::start, node, {}, error.wall, error.drift_permille, error.goes_on.has_value());
  auto& p = world_.start(node, error);
  const auto options = options_of(node);
  node_surroundings with{p.system()};
  with.store_may_move = shape_.store_moves;
  std::size_t own = 0;
  std::vector<std::shared_ptr<store::local_store>> here(shape_.partitions);
  for (std::uint32_t i = 0; i < shape_.partitions; ++i) {
    if (!may_take(node, i, own))
      continue;
    here[i] = open_as_owner(node, i);
    if (!here[i])
      return end(node, true);
    ++own;
    store_clock_ = error;
    store_clock_->goes_on = p.clock();
  }
  if (shape_.partitions > 1) {
    with.partitions = std::move(here);
  } else {
    with.store = here.front();
    with.files = here.front();
  }
  with.clock = p.clock();
  with.detached = false;
  with.review_max = shape_.review_max;
  with.make_agents = [&](const auto& clocks, auto& made) { make_agents(p, clocks, made); };
  if (shape_.with_only_one)
    with.singletons.emplace_back("only-one", [this, node](caf::actor_system& sys) { return make_only_one(sys, node); });
  with.dialer = spawn_dialer(p);
  with.holder = node + ":" + std::to_string(p.number());
  with.on_fatal = on_fatal_of(node);
  auto& parts = parts_[node] = {};
  assemble(options, std::move(with), parts);
  keep_all(p, parts);
  if (shape_.store_moves)
    follow(node, p.number());
  if (no_supervisor_until_ > world_.now())
    p.hold_until("supervisor", no_supervisor_until_);
  if (died_calling_.erase(node) > 0)
    world_.reached(row::agent_starts_again);
}

void cluster::start_by_same_clock() {
  if (is_up(store_node()))
    return;
  next_clock_ = store_clock_;
  start(store_node());
}

std::function<void(const std::string&)> cluster::on_fatal_of(const std::string& node) {
  return [this, node](const std::string& why) {
    world_.tell("the store of " + node + " failed: " + why);
    watch_.on_store_failed();
    if (shape_.store_moves && has_lost_one(node))
      world_.reached(row::frozen_owner_writes);
    end(node, true);
  };
}

/// If the disk below the store ended it, or the loss of the store, it is started again.
void cluster::end(const std::string& node, bool is_noticed_at_once) {
  const bool is_by_medium = medium_ && (medium_->is_stopped() || medium_->failures() > 0);
  if (medium_ && medium_->failures() > 0)
    world_.reached(row::write_or_sync_fails);
  kill(node, is_noticed_at_once);
  if (is_by_medium || shape_.store_moves)
    world_.in(medium_chance_.between(10ms, 30s), [this, node] { start(node); });
}

void cluster::crash(const std::string& node, bool is_noticed_at_once) {
  if (!medium_ || !medium_fails_ || node != store_node() || !is_up(node))
    return kill(node, is_noticed_at_once);
  is_power_cut_ = is_power_cut_ || medium_chance_.happens(400);
  if (medium_chance_.happens(500))
    kill(node, is_noticed_at_once);
  else
    medium_->stop_at(1 + medium_chance_.below(40));
}

void cluster::kill(const std::string& node, bool is_noticed_at_once) {
  if (!is_up(node))
    return;
  disturb(0ms);
  if (medium_ && node == store_node() && !is_stopping_)
    medium_->stop();
  note(script::happening::kind::kill, node, {}, {}, 0, is_noticed_at_once);
  probe_death(node);
  services_.forget(node);
  parts_.erase(node);
  std::erase_if(only_ones_, [&](const auto& x) { return x.second == node; });
  drained_at_.erase(node);
  giving_.erase(node);
  balanced_at_.erase(node);
  leaving_.erase(node);
  world_.kill(node, is_noticed_at_once);
  if (parts_.empty())
    world_.reached(row::all_nodes_down);
  for (auto& s : seats_)
    if (node == s.owner && s.disk)
      s.disk->close();
}

/// There may be two at a time only if one of them, or its lease actor, was frozen: it ends when it goes on.
actors::guarded_actor cluster::make_only_one(caf::actor_system& sys, const std::string& node) {
  if (!only_ones_.empty() && world_.now() > disturbed_until_ + shape_.lease.margin)
    watch_.complain(node + " has an actor of which there is to be one while " + only_ones_.begin()->second
                    + " has it (P19)");
  const auto number = ++only_ones_made_;
  only_ones_[number] = node;
  auto made = sys.spawn([](actors::guarded_actor::pointer) -> actors::guarded_actor::behavior_type {
    return {[](const actors::lease_changed&) {}};
  });
  caf::actor_cast<caf::strong_actor_ptr>(made)->get()->attach_functor(
    [this, number](const caf::error&) { only_ones_.erase(number); });
  return made;
}

void cluster::hang_quietly(const std::string& actor, workflow::span time) {
  for (const auto& name : names_)
    if (auto* p = world_.find(name))
      p->hold_until(actor, world_.now() + time);
}

void cluster::probe_death(const std::string& node) {
  if (services_.is_calling(node))
    died_calling_.insert(node);
  if (world_.is_order_on_its_way_to(node))
    world_.reached(row::agent_dies_before_call);
  std::size_t locked = 0;
  for (const auto& [number, t] : watch_.tasks()) {
    if (t.locked_by != node)
      continue;
    ++locked;
    const auto* d = watch_.definition_of(t);
    for (std::size_t i = 0; d && i < t.steps.size(); ++i)
      if (services_.is_called_from_elsewhere(workflow::idempotency_key(t, *d, i, t.steps[i].doing), node))
        world_.reached(row::killed_while_agent_acts);
  }
  if (locked >= 10'000)
    world_.reached(row::killed_with_a_crowd_in_flight);
  if (!watch_.is_supervising(node))
    return;
  if (watch_.has_fresh_decision())
    world_.reached(row::supervisor_dies_after_decision);
  const auto is_overdue = [this](const auto& x) {
    const auto* d = watch_.definition_of(x.second);
    return d && workflow::next_due(x.second, *d) < clock_of(x.first);
  };
  if (std::any_of(watch_.tasks().begin(), watch_.tasks().end(), is_overdue))
    world_.reached(row::supervisor_dies_with_overdue_work);
}

bool cluster::is_store_node(const std::string& node) const {
  return std::any_of(seats_.begin(), seats_.end(), [&](const seat& s) { return s.owner == node; });
}

bool cluster::has_store() const {
  return std::all_of(seats_.begin(), seats_.end(), [](const seat& s) { return s.disk && s.disk->is_open(); });
}

const store::state_store* cluster::partition_with(const std::string& id) const {
  const auto& there = seats_[workflow::partition_of(id, shape_.partitions)].disk;
  return there && there->is_open() ? there.get() : nullptr;
}

workflow::instant cluster::clock_of(std::uint64_t task) {
  return clock_now(workflow::partition_of_number(task, shape_.partitions));
}

workflow::clock_reading cluster::store_clock(std::uint32_t partition) {
  const auto& there = seats_[partition];
  auto* p = there.disk && there.disk->is_open() ? world_.find(there.owner) : nullptr;
  return p ? workflow::clock_reading{p->now(), p->clock().set_at} : workflow::clock_reading{};
}

void cluster::stop(const std::string& node) {
  auto* p = world_.find(node);
  if (!p)
    return;
  world_.tell("stop " + node);
  stopped_at_ = world_.now();
  if (shape_.store_moves)
    leaving_.insert(node);
  hand_over_and_then(node, [this, node, life = p->number()] { end_properly(node, life); });
}

void cluster::end_properly(const std::string& node, std::uint32_t life) {
  auto* p = world_.find(node);
  if (!p || p->number() != life)
    return;
  std::vector<actors::lease_actor> leases;
  for (const auto& [name, lease] : parts_.at(node).singleton_leases)
    leases.push_back(lease);
  for (const auto& of_partition : parts_.at(node).partitions) {
    leases.push_back(of_partition.supervisor_lease);
    leases.push_back(of_partition.node_lease);
  }
  for (const auto& lease : leases)
    if (lease)
      p->system().spawn([lease](caf::event_based_actor* self) {
        for (int i = 0; i < 2; ++i) // a person who asks twice
          actors::ask(self, lease, drain_limit, actors::drain{})
            .then([](const actors::drained&) {}, [](const caf::error&) {});
      });
  world_.in(500ms, [this, node, number = p->number()] {
    is_stopping_ = true;
    if (auto* now = world_.find(node); now && now->number() == number)
      kill(node, true);
    is_stopping_ = false;
  });
}

void cluster::freeze(const std::string& node, workflow::span time) {
  if (!is_up(node))
    return;
  disturb(time);
  if (time > shape_.lease.ttl)
    watch_.on_long_pause(node);
  if (time > shape_.lease.ttl && is_store_node(node))
    world_.reached(row::leases_unreachable);
  if (time >= 10min)
    world_.reached(row::machine_stands_still);
  note(script::happening::kind::freeze, node, {}, time);
  world_.freeze(node, time);
}

void cluster::cut(const std::string& node, const std::string& other, bool both_ways, workflow::span time) {
  const bool is_long = time > shape_.lease.ttl;
  if (is_long)
    world_.reached(row::node_cut_off_longer_than_lease);
  if (is_long && (is_store_node(node) || is_store_node(other)))
    world_.reached(names_.size() > 2 ? row::holder_cut_off_from_leases : row::leases_unreachable);
  note(script::happening::kind::cut, node, other, time, 0, both_ways);
  world_.cut(node, other);
  if (both_ways)
    world_.cut(other, node);
  world_.in(time, [this, node, other] {
    world_.heal(node, other);
    world_.heal(other, node);
  });
}

void cluster::hang(const std::string& node, const std::string& actor, workflow::span time) {
  auto* p = world_.find(node);
  if (!p)
    return;
  world_.tell("the " + actor + " of " + node + " hangs for " + std::to_string(time.count()) + " ms");
  disturb(time);
  note(script::happening::kind::hang, node, actor, time);
  p->hold_until(actor, world_.now() + time);
  const bool counts = actor == "scheduler" || watch_.is_supervising(node);
  if (time > shape_.lease.ttl + shape_.lease.renew_every && counts)
    world_.reached(actor == "scheduler" ? row::scheduler_hangs : row::supervisor_hangs);
}

void cluster::suspend_supervisors(workflow::span time) {
  world_.tell("no supervisor for " + std::to_string(time.count()) + " ms");
  world_.reached(row::no_supervisor_for_an_hour);
  disturb(time);
  no_supervisor_until_ = world_.now() + time;
  for (const auto& name : names_)
    if (auto* p = world_.find(name))
      p->hold_until("supervisor", no_supervisor_until_);
}

void cluster::send_stray_answers(const std::string& node) {
  const auto found = parts_.find(node);
  if (found == parts_.end())
    return;
  actors::attempt_reports stray;
  for (int i = 0; i < 10; ++i) {
    auto& m = stray.all.emplace_back();
    m.task_number = world_.chance().below(2 * submitted_.size() + 2);
    m.step = static_cast<std::uint32_t>(world_.chance().below(4));
    m.attempt = static_cast<std::uint32_t>(world_.chance().below(1000)) + 1000; // no stranger knows the attempt
    m.epoch = world_.chance().below(10);
    m.kind = static_cast<actors::report_kind>(world_.chance().below(8));
    m.result = std::string(world_.chance().below(100), '{');
  }
  const auto& partitions = found->second.partitions;
  const auto which = partitions.size() > 1 ? world_.chance().below(partitions.size()) : 0;
  world_.find(node)->system().spawn(
    [stray, to = partitions[which].scheduler](caf::event_based_actor* self) { actors::tell(self, to, stray); });
}

void cluster::set_disk_faults(const disk_faults& faults) {
  disk_faults_ = faults;
  for (auto& s : seats_)
    if (s.disk)
      s.disk->set_faults(faults);
}

void cluster::set_medium_faults(bool fails) {
  if (!medium_)
    return;
  medium_fails_ = fails;
  const bool syncs_fail = fails && medium_chance_.happens(300);
  const bool writes_fall_short = fails && medium_chance_.happens(300);
  medium_->set_faults(syncs_fail ? 3 : 0, writes_fall_short ? 10 : 0);
}

void cluster::set_clock_errors(workflow::span wall_max, std::int64_t drift_permille_max) {
  wall_error_max_ = wall_max;
  drift_permille_max_ = drift_permille_max;
}

void cluster::set_clocks_right() {
  wall_error_max_ = workflow::span{0};
  wall_error_least_ = furthest_ahead_;
  drift_permille_max_ = 0;
  store_clock_.reset();
  for (const auto& name : names_)
    if (shape_.store_moves || name == store_node()) {
      kill(name, true);
      start(name);
    }
}

void cluster::slow_store(workflow::span time) {
  std::set<std::string> owners;
  for (const auto& s : seats_)
    if (is_up(s.owner))
      owners.insert(s.owner);
  if (owners.empty())
    return;
  if (time >= 2s)
    world_.reached(row::store_slow);
  world_.tell("the store is slow for " + std::to_string(time.count()) + " ms");
  disturb(time);
  note(script::happening::kind::slow_store, *owners.begin(), {}, time);
  for (const auto& node : owners)
    world_.find(node)->hold_until("store_actor", world_.now() + time);
}

/// Without an answer: the dialing side has a limit of its own.
actors::dialer_actor cluster::spawn_dialer(process& p) {
  return p.system().spawn([this, &p](actors::dialer_actor::pointer self) -> actors::dialer_actor::behavior_type {
    return {[this, &p, self](const actors::dial& m) -> caf::result<actors::reached_node> {
      const auto node = m.address.substr(0, m.address.find(':'));
      const auto found = parts_.find(node);
      if (!world_.find(node) || found == parts_.end())
        return caf::make_error(caf::sec::cannot_connect_to_node, std::string{"connection refused"});
      if (!world_.is_reachable(p.name(), node))
        return self->make_response_promise<actors::reached_node>();
      const auto front = caf::actor_cast<caf::strong_actor_ptr>(found->second.front);
      actors::reached_node reached{caf::actor_cast<actors::node_front>(p.remote(*world_.find(node), front))};
      reached.tells_partitions = shape_.partitions > 1;
      return reached;
    }};
  });
}

void cluster::make_agents(process& p, const actors::partition_clocks& clocks,
                          std::map<std::string, actors::agent_actor>& made) {
  for (const auto& [name, nodes] : homes_) {
    if (!nodes.contains(p.name()))
      continue;
    actors::agent_options o;
    o.name = name;
    o.concurrency = shape_.agent_concurrency;
    o.queue = shape_.agent_queue;
    o.call_limit = shape_.call_limit;
    o.tokens = [this](const std::string& prefix) { return issue_token(prefix); };
    made[name] = actors::spawn_function_agent(p.system(), o, clocks, services_.agent(p.name(), name));
  }
}

} // namespace steadfast::simulation
