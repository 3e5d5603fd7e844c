#include "runtime/simulation/cluster.hpp"

#include "actors/agents.hpp"
#include "actors/type_ids.hpp"
#include "runtime/simulation/documents.hpp"
#include "store/lmdb_store.hpp"

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

constexpr workflow::span ask_limit{20'000};
constexpr workflow::span ask_again{2000};

std::string address_of(const std::string& node) {
  return node + ":1";
}

void register_all(store::state_store& s, const std::vector<workflow::definition>& definitions) {
  std::vector<store::write> writes;
  writes.reserve(definitions.size());
  for (const auto& d : definitions)
    writes.emplace_back(store::register_definition{d});
  for (const auto& o : s.commit(writes))
    if (o.result != store::verdict::applied)
      throw std::runtime_error{"a definition was refused: " + o.why};
}

void keep_all(process& p, const node_parts& parts) {
  p.keep(parts.membership);
  p.keep(parts.front);
  p.keep(parts.scheduler);
  p.keep(parts.supervisor_lease);
  p.keep(parts.node_lease);
  p.keep(parts.supervisor);
  p.keep(parts.gateway);
  p.keep(parts.notifier);
  for (const auto& [name, agent] : parts.agents)
    p.keep(agent);
  p.keep(parts.dialer);
  p.keep(parts.reader);
  p.keep(parts.writer);
}

} // namespace

cluster::cluster(world& w, services& remote, cluster_shape shape, const std::filesystem::path& folder)
    : world_{w},
      services_{remote},
      shape_{std::move(shape)},
      folder_{folder} {
  for (std::uint32_t i = 1; i <= shape_.nodes; ++i)
    names_.push_back("node-" + std::to_string(i));
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
  o.roles.store = node == store_node();
  o.cluster.listen = address_of(node);
  if (!o.roles.store)
    o.cluster.join = address_of(store_node());
  o.cluster.lease = o.supervisor_lease = shape_.lease;
  o.in_flight_max = shape_.in_flight_max;
  o.socket.clear();
  return o;
}

clock_error cluster::draw_clock_error(const std::string& node) {
  clock_error e;
  e.wall = wall_error_least_ + world_.chance().between(-wall_error_max_, wall_error_max_);
  const auto range = static_cast<std::uint64_t>(2 * drift_permille_max_ + 1);
  e.drift_permille = static_cast<std::int64_t>(world_.chance().below(range)) - drift_permille_max_;
  return node == store_node() ? draw_store_clock(e) : e;
}

clock_error cluster::draw_store_clock(clock_error anew) {
  if (store_clock_ && world_.chance().happens(500))
    return *store_clock_;
  furthest_ahead_ = std::max(furthest_ahead_, anew.wall);
  return anew;
}

std::shared_ptr<disk> cluster::open_disk() {
  store::store_options o;
  o.path = folder_ / "store";
  o.size_max = 1 << 30;
  o.size_reserve = 1 << 20;
  auto real = store::open_lmdb_store(o);
  register_all(*real, shape_.workflows);
  return std::make_shared<disk>(std::move(real), disk_faults_, world_.chance());
}

void cluster::start(const std::string& node) {
  if (is_up(node))
    return;
  const auto error = draw_clock_error(node);
  auto& p = world_.start(node, error);
  const auto options = options_of(node);
  node_surroundings with{p.system()};
  if (options.roles.store) {
    with.store = disk_ = open_disk();
    store_clock_ = error;
    store_clock_->goes_on = p.clock();
  }
  with.clock = p.clock();
  with.detached = false;
  with.make_agents = [&](const auto& clock, auto& made) { make_agents(p, clock, made); };
  with.dialer = spawn_dialer(p);
  with.holder = node + ":" + std::to_string(p.number());
  with.on_fatal = [this, node](const std::string& why) {
    world_.tell("the store of " + node + " failed: " + why);
    kill(node, true);
  };
  auto& parts = parts_[node] = {};
  assemble(options, std::move(with), parts);
  keep_all(p, parts);
}

void cluster::kill(const std::string& node, bool is_noticed_at_once) {
  if (!is_up(node))
    return;
  parts_.erase(node);
  world_.kill(node, is_noticed_at_once);
  if (node == store_node())
    disk_->close();
}

void cluster::set_disk_faults(const disk_faults& faults) {
  disk_faults_ = faults;
  if (is_up(store_node()))
    disk_->set_faults(faults);
}

void cluster::set_clock_errors(workflow::span wall_max, std::int64_t drift_permille_max) {
  wall_error_max_ = wall_max;
  drift_permille_max_ = drift_permille_max;
}

void cluster::set_clocks_right() {
  wall_error_max_ = workflow::span{0};
  wall_error_least_ = furthest_ahead_;
  drift_permille_max_ = 0;
  kill(store_node(), true);
  store_clock_.reset();
  start(store_node());
}

void cluster::slow_store(workflow::span time) {
  if (auto* p = world_.find(store_node())) {
    world_.tell("the store is slow for " + std::to_string(time.count()) + " ms");
    p->hold_until("store_actor", world_.now() + time);
  }
}

/// Where there is no answer the one that dials has a limit of its own.
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
      return actors::reached_node{caf::actor_cast<actors::node_front>(p.remote(*world_.find(node), front))};
    }};
  });
}

void cluster::make_agents(process& p, const actors::node_clock& clock,
                          std::map<std::string, actors::agent_actor>& made) {
  std::set<std::string> names;
  for (const auto& d : shape_.workflows)
    names.merge(workflow::agents_of(d));
  for (const auto& name : names) {
    actors::agent_options o;
    o.name = name;
    made[name] = actors::spawn_function_agent(p.system(), o, clock, services_.agent());
  }
}

// ---- clients ----

void cluster::submit(const std::string& id, const workflow::definition& d) {
  submitted_.insert(id);
  workflow::submission s;
  s.id = id;
  s.workflow = d.name;
  s.payload = workflow::blob{sample_payload(d)};
  ask_to_submit(s);
}

const node_parts* cluster::some_node() {
  const auto found = parts_.find(names_[world_.chance().below(names_.size())]);
  return found == parts_.end() ? nullptr : &found->second;
}

void cluster::act(const std::string& id, actors::task_act what) {
  const auto* node = some_node();
  if (!node)
    return;
  const actors::act_on_task m{id, what, {}, {}, false, "grace", "because"};
  world_.find(node->name)->system().spawn([m, gateway = node->gateway](caf::event_based_actor* self) {
    actors::ask(self, gateway, ask_limit, m).then([](const actors::act_result&) {}, [](const caf::error&) {});
  });
}

/// Whatever became of it: if there is no good answer by then, it is asked again, at any node.
void cluster::ask_to_submit(const workflow::submission& s) {
  if (acknowledged_.contains(s.id))
    return;
  world_.in(ask_limit + ask_again, [this, s] { ask_to_submit(s); });
  const auto* node = some_node();
  if (!node)
    return;
  world_.find(node->name)->system().spawn([this, s, gateway = node->gateway](caf::event_based_actor* self) {
    actors::ask(self, gateway, ask_limit, actors::boxed<workflow::submission>{s})
      .then(
        [this, id = s.id](const actors::receipt& r) {
          if (r.result == store::verdict::applied)
            acknowledged_.insert(id);
        },
        [](const caf::error&) {});
  });
}

} // namespace steadfast::simulation
