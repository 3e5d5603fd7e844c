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

// What is missing in these lists is neither shown nor ended: a new actor needs its line.

std::vector<node_part> store_parts_of(const store_parts& own) {
  part_list all;
  all.add_shown("store", {}, own.writer, true);
  all.add_shown("reader", {}, own.reader, true);
  all.add_shown("janitor", {}, own.janitor);
  all.add_shown("bulk_runner", {}, own.bulk_runner);
  return std::move(all.parts);
}

/// Those that a node has from the beginning to the end.
std::vector<node_part> lasting_parts_of(const node_parts& p) {
  part_list all;
  all.add_shown("store_link", {}, p.link, true);
  all.add_shown("scheduler", {}, p.scheduler);
  all.add_shown("supervisor", {}, p.supervisor);
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

std::vector<actors::named_actor> shown_of(const std::vector<node_part>& parts) {
  std::vector<actors::named_actor> shown;
  for (const auto& p : parts)
    if (p.shown)
      shown.push_back({p.kind, p.name, p.shown});
  return shown;
}

class assembly {
public:
  assembly(const node_options& options, node_surroundings with, node_parts& parts)
      : options_{options},
        with_{std::move(with)},
        system_{with_.system},
        parts_{parts} {}

  void make() {
    parts_.name = options_.name;
    parts_.clock = with_.clock;
    parts_.dialer = with_.dialer;
    parts_.certificate_until = with_.certificate_until;
    spawn_store();
    if (options_.roles.agents && with_.make_agents)
      with_.make_agents(parts_.clock, parts_.agents);
    spawn_rest();
    parts_.own->set(own_);
    if (parts_.dialer)
      join_cluster();
    if (!options_.store.read_only && !with_.is_client) // otherwise it only answers
      spawn_leases();
    spawn_front();
    if (with_.certificate_until)
      parts_.clients = actors::spawn_client_gateway(
        system_, {options_.name, options_.roles.store, parts_.store_actor, parts_.reader, parts_.clock});
  }

  /// REQUIRES: the node has a link in place of a store.
  void take() {
    parts_.lead->end(parts_.clock.set_at);
    spawn_own_store();
    spawn_keepers();
    parts_.own->set(own_);
    actors::tell_from_outside(parts_.membership, actors::store_moved{options_.name, {}, own_.writer, own_.reader});
  }

private:
  void spawn_store() {
    if (with_.store) {
      spawn_own_store();
      parts_.store_actor = own_.writer;
      parts_.reader = own_.reader;
      return;
    }
    parts_.lead = std::make_shared<actors::shared_lead>();
    parts_.clock.lead = parts_.lead;
    parts_.link = actors::spawn_store_link(system_, {options_.name});
    parts_.store_actor = parts_.link;
    parts_.reader = parts_.link;
  }

  void spawn_own_store() {
    own_.store = with_.store;
    own_.files = with_.files;
    actors::store_actor_deps deps;
    deps.store = own_.store;
    deps.files = own_.files;
    deps.clock = parts_.clock;
    deps.backlog_max = options_.backlog_max;
    deps.on_fatal = with_.on_fatal;
    deps.warn = with_.warn;
    own_.writer = actors::spawn_store_actor(system_, std::move(deps), with_.detached);
    own_.reader = actors::spawn_reader(system_, {own_.store, own_.files, own_.writer, parts_.clock}, with_.detached);
  }

  /// What works for the store as a whole, where it is.
  void spawn_keepers() {
    if (!own_.store || options_.store.read_only)
      return;
    if (!workflow::keeps_all(options_.retention))
      spawn_janitor();
    spawn_bulk_runner();
  }

  void spawn_rest() {
    parts_.notifier = actors::spawn_notifier(system_, {parts_.store_actor, parts_.reader, parts_.clock});
    parts_.gateway = actors::spawn_gateway(system_, {parts_.store_actor, parts_.reader, parts_.notifier, parts_.clock});
    spawn_keepers();
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
    own_.janitor = actors::spawn_janitor(system_, {own_.writer, own_.reader, parts_.clock, o});
  }

  void spawn_bulk_runner() {
    actors::bulk_options o;
    o.rate = options_.bulk_rate;
    own_.bulk_runner = actors::spawn_bulk_runner(system_, {own_.writer, own_.reader, parts_.gateway, parts_.clock, o});
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
    deps.join = options_.cluster.joined();
    deps.dialer = parts_.dialer;
    deps.reader = parts_.reader;
    deps.link = parts_.link;
    deps.scheduler = parts_.scheduler;
    deps.own_agents = own_agents();
    deps.clock = parts_.clock;
    deps.on_time = [lead = parts_.lead](const workflow::clock_sample& s) {
      const auto before = lead->get();
      const auto known = before.set_at == s.set_at ? std::optional{before.ahead} : std::nullopt;
      lead->set({workflow::offset_after(known, s), s.set_at});
    };
    deps.log = with_.log;
    parts_.membership = actors::spawn_membership(system_, std::move(deps));
  }

  void spawn_leases() {
    workflow::node_card card{options_.name, options_.cluster.address(), options_.roles, {}};
    for (const auto& [name, agent] : parts_.agents)
      card.agents.push_back(name);
    const auto guarded =
      parts_.scheduler ? actors::guarded_actor{parts_.scheduler} : actors::guarded_actor{parts_.membership};
    // Held by the name, not by the process: after a restart the node has it again at once.
    const auto note_now = [card, until = with_.certificate_until, drained = drained_, own = parts_.own] {
      auto now = card;
      now.roles.store = own->get().store != nullptr;
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
    deps.own_store = [own = parts_.own] {
      const auto has = own->get();
      return actors::offered_store{has.writer, has.reader, shown_of(store_parts_of(has))};
    };
    deps.clock = parts_.clock;
    deps.actors = shown_of(lasting_parts_of(parts_));
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
  store_parts own_;
  std::shared_ptr<std::atomic<bool>> drained_ = std::make_shared<std::atomic<bool>>(false);
};

} // namespace

std::vector<node_part> all_of(const node_parts& p) {
  auto all = store_parts_of(p.own->get());
  for (auto& part : lasting_parts_of(p))
    all.push_back(std::move(part));
  return all;
}

void assemble(const node_options& options, node_surroundings with, node_parts& parts) {
  assembly{options, std::move(with), parts}.make();
}

void take_store(const node_options& options, node_surroundings with, node_parts& parts) {
  assembly{options, std::move(with), parts}.take();
}

} // namespace steadfast
