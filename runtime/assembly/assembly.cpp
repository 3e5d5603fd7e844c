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

#include <caf/actor_system.hpp>
#include <caf/event_based_actor.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <memory>
#include <optional>
#include <string_view>

namespace steadfast {

namespace {

/// An actor that was started, and is to be ended with the node. Gives its handle back; one that is empty is left out.
template <class Handle>
Handle kept(std::vector<node_part>& in, const char* kind, Handle actor, const std::string& name = {},
            bool hears_all = false) {
  if (actor)
    in.push_back({kind, name, caf::actor_cast<caf::actor>(actor), {}, hears_all});
  return actor;
}
/// The same, and people are shown it.
template <class Handle>
Handle shown(std::vector<node_part>& in, const char* kind, Handle actor, const std::string& name = {},
             bool hears_all = false) {
  if (kept(in, kind, actor, name, hears_all))
    in.back().shown = actor;
  return actor;
}

/// Where people find a kind in the list; one that is not named here comes after these.
std::size_t place_in_list(const node_part& p) {
  static constexpr std::array<std::string_view, 13> order{
    "store_link", "scheduler", "supervisor", "lease",        "agent",        "gateway", "notifier",
    "membership", "singleton", "front",      "client_front", "client_store", "dialer"};
  return static_cast<std::size_t>(std::find(order.begin(), order.end(), p.kind) - order.begin());
}

/// Those that a node has from the beginning to the end.
std::vector<node_part> lasting_parts_of(const node_parts& p) {
  auto all = p.lasting;
  for (const auto& [name, agent] : p.agents)
    shown(all, "agent", agent, name);
  std::stable_sort(all.begin(), all.end(),
                   [](const auto& a, const auto& b) { return place_in_list(a) < place_in_list(b); });
  return all;
}

std::vector<actors::named_actor> shown_of(const std::vector<node_part>& parts) {
  std::vector<actors::named_actor> shown;
  for (const auto& p : parts)
    if (p.shown)
      shown.push_back({p.kind, p.name, p.shown});
  return shown;
}

void end_parts(const std::vector<node_part>& parts) {
  for (const auto& p : parts)
    if (!p.hears_all)
      actors::exit_now(p.actor);
  for (const auto& p : parts)
    if (p.hears_all)
      caf::anon_send_exit(p.actor, caf::exit_reason::user_shutdown);
}

/// Asks, and goes on when there is an answer, or none.
template <class Answer, class Handle, class Question>
void ask_and_then(caf::event_based_actor* self, const Handle& actor, Question q, std::function<void()> then) {
  constexpr workflow::span limit{30'000};
  actors::ask(self, actor, limit, q).then([then](const Answer&) { then(); }, [then](const caf::error&) { then(); });
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
    parts_.traces = options_.tracing.is_used();
    parts_.clock = with_.clock;
    parts_.dialer = kept(parts_.lasting, "dialer", with_.dialer, {}, true);
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
      spawn_clients();
  }

  /// The clock gets a new name: what other owners wrote meanwhile, they wrote by other clocks, and it must not pass for
  /// this node's own. REQUIRES: the node has a link in place of a store.
  void take() {
    parts_.lead->end(parts_.clock.own_time(&system_));
    spawn_own_store();
    spawn_keepers();
    const auto former = parts_.own->get();
    parts_.own->set(own_);
    end_parts(former.all);
    actors::tell_from_outside(parts_.membership, actors::store_moved{options_.name, {}, own_.store_actor, own_.reader});
  }

private:
  void spawn_store() {
    const bool has_link = !with_.store || with_.store_may_move;
    if (has_link) {
      parts_.lead = std::make_shared<actors::shared_lead>();
      if (with_.store)
        parts_.lead->end(parts_.clock.set_at);
      parts_.clock.lead = parts_.lead;
      parts_.link = shown(parts_.lasting, "store_link",
                          actors::spawn_store_link(system_, {options_.name, options_.name}), {}, true);
      parts_.store_actor = parts_.link;
      parts_.reader = parts_.link;
    }
    if (with_.store)
      spawn_own_store();
    if (with_.store && has_link) { // before anything else is sent there
      actors::node_offer own{options_.name, own_.store_actor, own_.reader, {}, {}};
      actors::tell_from_outside(parts_.link, actors::peer_changed{{}, true, std::move(own), {}});
    } else if (with_.store) {
      parts_.store_actor = own_.store_actor;
      parts_.reader = own_.reader;
    }
  }

  void spawn_own_store() {
    own_.store = with_.store;
    own_.files = with_.files;
    own_.journal = with_.journal;
    own_.traced = with_.traced;
    actors::store_actor_deps deps;
    deps.store = own_.store;
    deps.files = own_.files;
    deps.clock = parts_.clock;
    deps.backlog_max = options_.backlog_max;
    deps.on_fatal = with_.on_fatal;
    deps.on_end = with_.on_end;
    deps.warn = with_.warn;
    deps.next = parts_.link;
    own_.store_actor =
      shown(own_.all, "store", actors::spawn_store_actor(system_, std::move(deps), with_.detached), {}, true);
    own_.reader = shown(
      own_.all, "reader",
      actors::spawn_reader(system_, {own_.store, own_.files, own_.store_actor, parts_.clock, options_.store.read_only},
                           with_.detached),
      {}, true);
  }

  /// What works for the store as a whole, where it is.
  void spawn_keepers() {
    if (!own_.store || options_.store.read_only)
      return;
    if (!workflow::keeps_all(options_.retention))
      spawn_janitor();
    spawn_bulk_runner();
    if (with_.make_webhooks)
      own_.webhooks = with_.make_webhooks(own_, parts_.clock);
    for (const auto& [name, webhook] : own_.webhooks)
      shown(own_.all, "webhook", webhook, name);
  }

  void spawn_rest() {
    parts_.notifier = shown(parts_.lasting, "notifier",
                            actors::spawn_notifier(system_, {parts_.store_actor, parts_.reader, parts_.clock}));
    parts_.gateway =
      shown(parts_.lasting, "gateway",
            actors::spawn_gateway(system_, {parts_.store_actor, parts_.reader, parts_.notifier, parts_.clock}));
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
    parts_.supervisor = shown(parts_.lasting, "supervisor",
                              actors::spawn_supervisor(system_, {parts_.store_actor, parts_.reader, parts_.clock, o,
                                                                 with_.log_task, with_.warn}));
  }

  void spawn_janitor() {
    actors::janitor_options o;
    o.keep = options_.retention;
    shown(own_.all, "janitor", actors::spawn_janitor(system_, {own_.store_actor, own_.reader, parts_.clock, o}));
  }

  void spawn_bulk_runner() {
    actors::bulk_options o;
    o.rate = options_.bulk_rate;
    own_.bulk_runner =
      shown(own_.all, "bulk_runner",
            actors::spawn_bulk_runner(system_, {own_.store_actor, own_.reader, parts_.gateway, parts_.clock, o}));
  }

  void spawn_scheduler() {
    actors::scheduler_options o;
    o.name = options_.name;
    o.in_flight_max = options_.in_flight_max;
    if (options_.tracing.is_used())
      o.traced_percent = options_.tracing.sampled_percent;
    parts_.scheduler = shown(parts_.lasting, "scheduler",
                             actors::spawn_scheduler(system_, {parts_.store_actor, parts_.reader, own_agents(),
                                                               parts_.clock, o, with_.log_task}));
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
    deps.has_store = own_.store != nullptr;
    deps.on_parting = with_.on_parting;
    deps.scheduler = parts_.scheduler;
    deps.own_agents = own_agents();
    deps.clock = parts_.clock;
    deps.on_time = [lead = parts_.lead](const workflow::clock_sample& s) {
      const auto before = lead->get();
      const auto known = before.set_at == s.set_at ? std::optional{before.ahead} : std::nullopt;
      lead->set({workflow::offset_after(known, s), s.set_at});
    };
    deps.log = with_.log;
    parts_.membership = shown(parts_.lasting, "membership", actors::spawn_membership(system_, std::move(deps)));
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
      const auto guard =
        kept(parts_.lasting, "singleton",
             actors::spawn_singleton_guard(system_, {make, workflow::span{2000}, with_.warn}, with_.detached));
      parts_.singleton_leases.emplace_back(
        name, spawn_lease(guard, {name, with_.holder, "node " + options_.name, options_.cluster.lease}));
    }
  }

  actors::lease_actor spawn_lease(const actors::guarded_actor& guarded, actors::lease_options o,
                                  std::function<std::string()> note_now = {}) {
    o.terms.needs_progress = o.terms.needs_progress && guarded;
    return shown(
      parts_.lasting, "lease",
      actors::spawn_lease_actor(system_, {parts_.store_actor, guarded, parts_.clock, o, std::move(note_now)}), o.name);
  }

  void spawn_front() {
    actors::front_deps deps;
    deps.offer = {options_.name, {}, {}, parts_.gateway, own_agents()};
    deps.own_store = [own = parts_.own] {
      const auto has = own->get();
      return actors::offered_store{has.store_actor, has.reader, shown_of(has.all)};
    };
    deps.clock = parts_.clock;
    deps.actors = shown_of(lasting_parts_of(parts_));
    deps.scheduler = parts_.scheduler;
    deps.certificate_until = parts_.certificate_until;
    deps.on_drained = [drained = drained_, then = with_.on_drained] {
      *drained = true;
      if (then)
        then();
    };
    for (const auto& [name, lease] : parts_.singleton_leases)
      deps.leases.push_back(lease);
    if (parts_.supervisor_lease)
      deps.leases.push_back(parts_.supervisor_lease);
    parts_.front = kept(parts_.lasting, "front", actors::spawn_front(system_, std::move(deps)));
  }

  void spawn_clients() {
    parts_.clients = actors::spawn_client_gateway(
      system_, {options_.name, options_.roles.store, parts_.store_actor, parts_.reader, parts_.clock});
    kept(parts_.lasting, "client_front", parts_.clients.front);
    kept(parts_.lasting, "client_store", parts_.clients.store);
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
  auto all = p.own->get().all;
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

std::vector<node_part> empty_store(caf::actor_system& system, node_parts& parts, std::function<void()> then) {
  const auto own = parts.own->get();
  std::vector<node_part> others;
  store_parts passes_on;
  for (auto p : own.all) {
    p.shown = actors::inspectable_actor{};
    (p.kind == "store" ? passes_on.all : others).push_back(std::move(p));
  }
  parts.own->set(std::move(passes_on));
  system.spawn([membership = parts.membership, link = parts.link, store = own.store_actor, name = parts.name,
                then = std::move(then)](caf::event_based_actor* self) {
    actors::tell(self, membership, actors::store_moved{name, {}, {}, {}});
    // Nothing is sent there from here any more before the store passes on what comes.
    ask_and_then<actors::actor_state>(self, membership, actors::inspect_state{}, [self, link, store, then] {
      ask_and_then<actors::actor_state>(self, link, actors::inspect_state{}, [self, store, then] {
        ask_and_then<actors::drained>(self, store, actors::drain{}, then);
      });
    });
  });
  return others;
}

void close_store(node_parts& parts, const std::vector<node_part>& others) {
  parts.lead->begin();
  end_parts(others);
}

} // namespace steadfast
