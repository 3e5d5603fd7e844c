#include "runtime/assembly/assembly.hpp"

#include "actors/cluster/front.hpp"
#include "actors/cluster/membership.hpp"
#include "actors/gateway/gateway.hpp"
#include "actors/scheduling/scheduler.hpp"
#include "actors/storing/reader.hpp"
#include "actors/storing/store_actor.hpp"
#include "actors/storing/store_link.hpp"
#include "actors/supervising/bulk_runner.hpp"
#include "actors/supervising/janitor.hpp"
#include "actors/supervising/lease.hpp"
#include "actors/supervising/notifier.hpp"
#include "actors/supervising/supervisor.hpp"
#include "workflow/supervision/node_card.hpp"
#include "workflow/time/clock_offset.hpp"

#include <atomic>
#include <memory>
#include <optional>

namespace steadfast {

namespace {

class assembly {
public:
  assembly(const node_options& options, node_surroundings with, node_parts& parts)
      : options_{options},
        with_{std::move(with)},
        system_{with_.system},
        parts_{parts} {}

  void make() {
    parts_.name = options_.name;
    parts_.store = with_.store;
    parts_.files = with_.files;
    parts_.clock = with_.clock;
    parts_.dialer = with_.dialer;
    parts_.certificate_until = with_.certificate_until;
    spawn_store();
    if (options_.roles.agents && with_.make_agents)
      with_.make_agents(parts_.clock, parts_.agents);
    spawn_rest();
    if (parts_.dialer)
      join_cluster();
    if (!options_.store.read_only && !with_.is_client) // otherwise it only answers
      spawn_leases();
    spawn_front();
    if (with_.certificate_until)
      parts_.clients = actors::spawn_client_gateway(
        system_, {options_.name, options_.roles.store, parts_.store_actor, parts_.reader, parts_.clock});
  }

private:
  void spawn_store() {
    if (!options_.roles.store) {
      lead_ = std::make_shared<actors::shared_lead>();
      parts_.clock.lead = lead_;
      link_ = actors::spawn_store_link(system_, {options_.name});
      parts_.store_actor = link_;
      parts_.reader = link_;
      return;
    }
    actors::store_actor_deps deps;
    deps.store = parts_.store;
    deps.files = parts_.files;
    deps.clock = parts_.clock;
    deps.backlog_max = options_.backlog_max;
    deps.on_fatal = with_.on_fatal;
    deps.warn = with_.warn;
    parts_.store_actor = actors::spawn_store_actor(system_, std::move(deps), with_.detached);
    parts_.reader =
      actors::spawn_reader(system_, {parts_.store, parts_.files, parts_.store_actor, parts_.clock}, with_.detached);
  }

  void spawn_rest() {
    parts_.notifier = actors::spawn_notifier(system_, {parts_.store_actor, parts_.reader, parts_.clock});
    parts_.gateway = actors::spawn_gateway(system_, {parts_.store_actor, parts_.reader, parts_.notifier, parts_.clock});
    if (parts_.store && !options_.store.read_only && !workflow::keeps_all(options_.retention))
      spawn_janitor();
    if (parts_.store && !options_.store.read_only)
      spawn_bulk_runner();
    if (options_.roles.supervisor)
      spawn_supervisor();
    if (options_.roles.scheduler)
      spawn_scheduler();
  }

  void spawn_supervisor() {
    actors::supervisor_options o;
    o.period = options_.supervisor_period;
    o.slack = options_.supervisor_slack;
    o.node_ttl = options_.cluster.lease.ttl;
    o.review_max = with_.review_max;
    o.conditions = options_.conditions;
    o.conditions_period = options_.conditions_period;
    parts_.supervisor = actors::spawn_supervisor(
      system_, {parts_.store_actor, parts_.reader, parts_.clock, o, with_.log_task, with_.warn});
  }

  void spawn_janitor() {
    actors::janitor_options o;
    o.keep = options_.retention;
    parts_.janitor = actors::spawn_janitor(system_, {parts_.store_actor, parts_.reader, parts_.clock, o});
  }

  void spawn_bulk_runner() {
    actors::bulk_options o;
    o.rate = options_.bulk_rate;
    parts_.bulk_runner =
      actors::spawn_bulk_runner(system_, {parts_.store_actor, parts_.reader, parts_.gateway, parts_.clock, o});
  }

  void spawn_scheduler() {
    actors::scheduler_options o;
    o.name = options_.name;
    o.in_flight_max = options_.in_flight_max;
    parts_.scheduler = actors::spawn_scheduler(
      system_, {parts_.store_actor, parts_.reader, own_agents(), parts_.clock, o, with_.log_task});
  }

  std::vector<actors::agent_offer> own_agents() const {
    std::vector<actors::agent_offer> offers;
    for (const auto& [name, agent] : parts_.agents)
      offers.push_back({name, options_.name, agent});
    return offers;
  }

  void join_cluster() {
    actors::membership_deps deps;
    deps.own_name = options_.name;
    deps.join = options_.cluster.join;
    deps.dialer = parts_.dialer;
    deps.reader = parts_.reader;
    deps.link = link_;
    deps.scheduler = parts_.scheduler;
    deps.own_agents = own_agents();
    deps.clock = parts_.clock;
    deps.on_time = [lead = lead_](const workflow::clock_sample& s) {
      const auto before = lead->get();
      const auto known = before.set_at == s.set_at ? std::optional{before.ahead} : std::nullopt;
      lead->set({workflow::offset_after(known, s), s.set_at});
    };
    deps.log = with_.log;
    parts_.membership = actors::spawn_membership(system_, std::move(deps));
  }

  void spawn_leases() {
    const auto& address = options_.cluster.advertise.empty() ? options_.cluster.listen : options_.cluster.advertise;
    workflow::node_card card{options_.name, address, options_.roles, {}};
    for (const auto& [name, agent] : parts_.agents)
      card.agents.push_back(name);
    const auto guarded =
      parts_.scheduler ? actors::guarded_actor{parts_.scheduler} : actors::guarded_actor{parts_.membership};
    // Held by the name, not by the process: after a restart the node has it again at once.
    const auto note_now = [card, until = with_.certificate_until, drained = drained_] {
      auto now = card;
      now.drained = *drained;
      now.certificate_until = until ? until() : workflow::unset;
      return workflow::note_of(now);
    };
    parts_.node_lease = spawn_lease(
      guarded, {workflow::node_lease_name(options_.name), options_.name, {}, options_.cluster.lease}, note_now);
    if (parts_.supervisor)
      parts_.supervisor_lease = spawn_lease(
        parts_.supervisor, {supervisor_lease_name, with_.holder, "node " + options_.name, options_.supervisor_lease});
    for (const auto& [name, make] : with_.singletons) {
      parts_.singletons.push_back(
        actors::spawn_singleton_guard(system_, {make, workflow::span{2000}, with_.warn}, with_.detached));
      parts_.singleton_leases.emplace_back(
        name,
        spawn_lease(parts_.singletons.back(), {name, with_.holder, "node " + options_.name, options_.cluster.lease}));
    }
  }

  actors::lease_actor spawn_lease(const actors::guarded_actor& guarded, actors::lease_options o,
                                  std::function<std::string()> note_now = {}) {
    o.terms.needs_progress = o.terms.needs_progress && guarded;
    return actors::spawn_lease_actor(system_, {parts_.store_actor, guarded, parts_.clock, o, std::move(note_now)});
  }

  void spawn_front() {
    actors::front_deps deps;
    deps.offer = {options_.name, {}, {}, parts_.gateway, own_agents()};
    if (options_.roles.store) {
      deps.offer.writer = parts_.store_actor;
      deps.offer.reader = parts_.reader;
    }
    deps.clock = parts_.clock;
    for (const auto& p : all_of(parts_))
      if (p.shown)
        deps.actors.push_back({p.kind, p.name, p.shown});
    deps.scheduler = parts_.scheduler;
    deps.certificate_until = parts_.certificate_until;
    deps.on_drained = [drained = drained_] { *drained = true; };
    for (const auto& [name, lease] : parts_.singleton_leases)
      deps.leases.push_back(lease);
    if (parts_.supervisor_lease)
      deps.leases.push_back(parts_.supervisor_lease);
    parts_.front = actors::spawn_front(system_, std::move(deps));
  }

  const node_options& options_;
  node_surroundings with_;
  caf::actor_system& system_;
  node_parts& parts_;
  actors::store_link_actor link_;             ///< in place of a store
  std::shared_ptr<actors::shared_lead> lead_; ///< of the clock of the store's node
  std::shared_ptr<std::atomic<bool>> drained_ = std::make_shared<std::atomic<bool>>(false);
};

class part_list {
public:
  template <class Handle>
  void add_shown(const char* kind, const std::string& name, const Handle& actor, bool hears_all = false) {
    if (add(kind, name, actor, hears_all))
      parts.back().shown = actor;
  }
  template <class Handle>
  bool add(const char* kind, const std::string& name, const Handle& actor, bool hears_all = false) {
    if (!actor)
      return false;
    parts.push_back({kind, name, caf::actor_cast<caf::actor>(actor), {}, hears_all});
    return true;
  }

  std::vector<node_part> parts;
};

} // namespace

/// What is missing here is neither shown nor ended: a new actor needs its line.
std::vector<node_part> all_of(const node_parts& p) {
  part_list all;
  all.add_shown(p.store ? "store" : "store_link", {}, p.store_actor, true);
  if (p.store)
    all.add_shown("reader", {}, p.reader, true);
  all.add_shown("scheduler", {}, p.scheduler);
  all.add_shown("supervisor", {}, p.supervisor);
  all.add_shown("janitor", {}, p.janitor);
  all.add_shown("bulk_runner", {}, p.bulk_runner);
  all.add_shown("lease", workflow::node_lease_name(p.name), p.node_lease);
  all.add_shown("lease", supervisor_lease_name, p.supervisor_lease);
  for (const auto& [name, lease] : p.singleton_leases)
    all.add_shown("lease", name, lease);
  for (const auto& [name, agent] : p.agents)
    all.add_shown("agent", name, agent);
  all.add_shown("gateway", {}, p.gateway);
  all.add_shown("notifier", {}, p.notifier);
  all.add_shown("membership", {}, p.membership);
  for (const auto& guard : p.singletons)
    all.add("singleton", {}, guard);
  all.add("front", {}, p.front);
  all.add("client_front", {}, p.clients.front);
  all.add("client_store", {}, p.clients.store);
  all.add("dialer", {}, p.dialer, true);
  return std::move(all.parts);
}

void assemble(const node_options& options, node_surroundings with, node_parts& parts) {
  assembly{options, std::move(with), parts}.make();
}

} // namespace steadfast
