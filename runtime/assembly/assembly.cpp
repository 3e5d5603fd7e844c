#include "runtime/assembly/assembly.hpp"

#include "actors/cluster/front.hpp"
#include "actors/cluster/membership.hpp"
#include "actors/gateway/gateway.hpp"
#include "actors/scheduling/scheduler.hpp"
#include "actors/storing/partition_reader.hpp"
#include "actors/storing/partition_router.hpp"
#include "actors/storing/reader.hpp"
#include "actors/storing/store_actor.hpp"
#include "actors/storing/store_link.hpp"
#include "actors/supervising/bulk_runner.hpp"
#include "actors/supervising/janitor.hpp"
#include "actors/supervising/lease.hpp"
#include "actors/supervising/notifier.hpp"
#include "actors/supervising/supervisor.hpp"
#include "workflow/supervision/node_card.hpp"
#include "workflow/task/endings.hpp"
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

/// CAF counts an actor as ended before it tells those who watch it. If the network is closed in between, what it is
/// told stays there and holds the actor, for whose thread CAF then waits in vain. So a node waits for this first. Who
/// is attached first is told last.
void note_end(node_part& p) {
  const auto ended = std::make_shared<std::promise<void>>();
  p.ended = ended->get_future().share();
  p.actor->attach_functor([ended] { ended->set_value(); });
}

/// Where people find a kind in the list; one that is not named here comes after these.
std::size_t place_in_list(const node_part& p) {
  static constexpr std::array<std::string_view, 15> order{
    "store_link", "partition_reader", "partition_router", "scheduler", "supervisor", "lease",        "agent",
    "gateway",    "notifier",         "membership",       "singleton", "front",      "client_front", "client_store",
    "dialer"};
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

/// None of a store that is whole.
std::vector<actors::store_share> offered_partitions(const store_parts& p, const actors::partition_clocks& clocks) {
  std::vector<actors::store_share> all;
  for (std::size_t i = 0; p.partitions.size() > 1 && i < p.partitions.size(); ++i)
    all.push_back({{p.partitions[i].store_actor, p.partitions[i].reader}, clocks[i].followed()});
  return all;
}

void end_parts(const std::vector<node_part>& parts) {
  for (const auto& p : parts)
    if (!p.hears_all)
      actors::exit_now(p.actor);
  for (const auto& p : parts)
    if (p.hears_all)
      caf::anon_send_exit(p.actor, caf::exit_reason::user_shutdown);
}

/// Asks each, and goes on when all have answered, or will not.
template <class Answer, class Handle, class Question>
void ask_and_then(caf::event_based_actor* self, const std::vector<Handle>& all, Question q,
                  std::function<void()> then) {
  constexpr workflow::span limit{30'000};
  const auto one_less = [left = std::make_shared<std::size_t>(all.size()), then = std::move(then)] {
    if (--*left == 0)
      then();
  };
  for (const auto& actor : all)
    actors::ask(self, actor, limit, q)
      .then([one_less](const Answer&) { one_less(); }, [one_less](const caf::error&) { one_less(); });
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
    parts_.clocks = with_.clock;
    parts_.dialer = kept(parts_.lasting, "dialer", with_.dialer, {}, true);
    if (parts_.dialer)
      note_end(parts_.lasting.back());
    parts_.certificate_until = with_.certificate_until;
    spawn_store();
    if (options_.roles.agents && with_.make_agents)
      with_.make_agents(parts_.clocks, parts_.agents);
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
  /// this node's own. REQUIRES: the node has a link in place of it.
  void take(std::uint32_t partition) {
    own_ = parts_.own->get();
    const auto former = own_.partitions[partition].all;
    const auto former_joining = partition == 0 ? own_.joining : std::vector<node_part>{};
    parts_.leads[partition]->end(parts_.clocks[partition].own_time(&system_));
    begin(partition, with_.store, with_.files);
    spawn_keepers(partition);
    parts_.own->set(own_);
    end_parts(former_joining);
    end_parts(former);
    const auto& p = own_.partitions[partition];
    actors::tell_from_outside(
      parts_.membership,
      actors::store_moved{options_.name, {}, {p.store_actor, p.reader}, partition, {own_.store_actor, own_.reader}});
  }

private:
  bool has_link() const { return with_.store_may_move || !given(0); }

  std::shared_ptr<store::state_store> given(std::size_t i) const {
    return with_.partitions.empty() ? with_.store : with_.partitions[i];
  }
  std::shared_ptr<store::store_files> files_of(std::size_t i) const {
    return with_.partitions.empty() ? with_.files : with_.partitions[i];
  }

  void spawn_store() {
    own_.partitions.resize(partitions());
    own_.store = with_.store;
    own_.files = with_.files;
    own_.journal = with_.journal;
    own_.traced = with_.traced;
    if (has_link())
      spawn_links();
    for (std::size_t i = partitions(); i-- > 0;) // what joins them comes with the first
      if (given(i)) {
        if (has_link())
          parts_.leads[i]->end(with_.clock.set_at);
        begin(i, given(i), files_of(i));
        if (has_link())
          tell_links(i); // before anything else is sent there
      }
    if (!has_link()) {
      parts_.store_actor = own_.store_actor;
      parts_.reader = own_.reader;
    }
  }

  void spawn_links() {
    follow_other_clocks();
    parts_.link = spawn_link({});
    for (std::size_t i = 0; partitions() > 1 && i < partitions(); ++i)
      parts_.partition_links.push_back(spawn_link(name_in_partition(i)));
    parts_.store_actor = parts_.link;
    parts_.reader = parts_.link;
    if (partitions() > 1)
      spawn_whole();
  }

  void tell_links(std::size_t i) const {
    if (!parts_.partition_links.empty())
      tell_link(parts_.partition_links[i], own_.partitions[i].store_actor, own_.partitions[i].reader);
    if (i == 0)
      tell_link(parts_.link, own_.store_actor, own_.reader);
  }

  void follow_other_clocks() {
    std::vector<actors::node_clock> clocks(partitions(), with_.clock);
    for (auto& c : clocks)
      c.lead = parts_.leads.emplace_back(std::make_shared<actors::shared_lead>());
    parts_.clock = clocks.front();
    parts_.clocks = actors::partition_clocks{std::move(clocks)};
  }

  /// Asks each partition by itself, wherever it is.
  void spawn_whole() {
    actors::partition_router_deps router;
    for (const auto& link : parts_.partition_links) {
      router.partitions.push_back(link);
      router.readers.push_back(link);
    }
    router.clock = parts_.clock;
    router.turns = parts_.link;
    parts_.reader =
      shown(parts_.lasting, "partition_reader", actors::spawn_partition_reader(system_, router.readers), {}, true);
    parts_.store_actor =
      shown(parts_.lasting, "partition_router", actors::spawn_partition_router(system_, std::move(router)), {}, true);
  }

  actors::store_link_actor spawn_link(const std::string& name) {
    return shown(parts_.lasting, "store_link", actors::spawn_store_link(system_, {options_.name, options_.name}), name,
                 true);
  }

  void tell_link(const actors::store_link_actor& link, const actors::store_actor& to,
                 const actors::reader_actor& reader) const {
    actors::tell_from_outside(link, actors::peer_changed{{}, true, {options_.name, to, reader, {}, {}}, {}});
  }

  /// The node has it from now on.
  void begin(std::size_t i, const std::shared_ptr<store::state_store>& store,
             const std::shared_ptr<store::store_files>& files) {
    own_.partitions[i] = spawn_ends(i, store, files);
    if (i != 0)
      return;
    if (partitions() == 1) {
      own_.store = store;
      own_.files = files;
      own_.store_actor = own_.partitions[0].store_actor;
      own_.reader = own_.partitions[0].reader;
    } else {
      spawn_joining();
    }
  }

  /// What joins the partitions: all at this node, or at any that has the first, over links.
  void spawn_joining() {
    const std::string name = parts_.link ? "own" : "";
    actors::partition_router_deps router;
    router.clock = parts_.clock;
    router.next = parts_.link;
    for (std::size_t i = 0; i < partitions(); ++i) {
      const auto ends = ends_of(i);
      router.partitions.push_back(ends.store_actor);
      router.readers.push_back(ends.reader);
    }
    own_.joining.clear();
    own_.reader =
      shown(own_.joining, "partition_reader", actors::spawn_partition_reader(system_, router.readers), name, true);
    own_.store_actor =
      shown(own_.joining, "partition_router", actors::spawn_partition_router(system_, std::move(router)), name, true);
  }

  /// Who writes and reads one partition.
  store_parts::of_partition spawn_ends(std::size_t i, const std::shared_ptr<store::state_store>& store,
                                       const std::shared_ptr<store::store_files>& files) {
    const auto name = name_in_partition(i);
    const auto& clock = parts_.clocks[i];
    actors::store_actor_deps deps;
    deps.store = store;
    deps.files = files;
    deps.clock = clock;
    deps.backlog_max = share_of(options_.backlog_max, i);
    deps.on_fatal = with_.on_fatal;
    deps.on_end = with_.on_end;
    deps.warn = with_.warn;
    const auto pauses = deps.pauses;
    if (parts_.link)
      deps.next = ends_of(i).store_actor;
    store_parts::of_partition p;
    p.store = store;
    p.files = files;
    p.store_actor =
      shown(p.all, "store", actors::spawn_store_actor(system_, std::move(deps), with_.detached), name, true);
    note_end(p.all.back());
    actors::reader_deps reader{store, files, p.store_actor, clock, options_.store.read_only, pauses};
    p.reader = shown(p.all, "reader", actors::spawn_reader(system_, std::move(reader), with_.detached), name, true);
    note_end(p.all.back());
    return p;
  }

  // ---- partitions ----

  std::size_t partitions() const { return std::max<std::size_t>(with_.partitions.size(), with_.partition_count); }

  /// By which people tell the actors of one from those of the others.
  std::string name_in_partition(std::size_t i, std::string name = {}) const {
    if (partitions() > 1)
      name += (name.empty() ? "partition-" : ".partition-") + std::to_string(i);
    return name;
  }

  /// Of what is a limit for all of them together. Above 0: partition_problems saw to it.
  template <class Number>
  Number share_of(Number of_all, std::size_t i) const {
    const auto count = static_cast<Number>(partitions());
    return of_all / count + (i < of_all % count ? 1 : 0);
  }

  /// Of a store that may be another node's, the link.
  actors::store_ends ends_of(std::size_t i) const {
    if (partitions() == 1)
      return {parts_.store_actor, parts_.reader};
    if (!parts_.partition_links.empty())
      return {parts_.partition_links[i], parts_.partition_links[i]};
    return {own_.partitions[i].store_actor, own_.partitions[i].reader};
  }

  /// What works for a partition by itself, where it is.
  void spawn_keepers(std::size_t i) {
    auto& p = own_.partitions[i];
    if (!p.store || options_.store.read_only)
      return;
    if (!workflow::keeps_all(options_.retention))
      spawn_janitor(i);
    spawn_bulk_runner(i);
    if (with_.make_webhooks)
      p.webhooks = with_.make_webhooks(p.store_actor, p.reader, parts_.clocks[i]);
    for (const auto& [name, webhook] : p.webhooks)
      shown(p.all, "webhook", webhook, name_in_partition(i, name));
  }

  void spawn_rest() {
    parts_.notifier = shown(parts_.lasting, "notifier",
                            actors::spawn_notifier(system_, {parts_.store_actor, parts_.reader, parts_.clock}));
    parts_.gateway =
      shown(parts_.lasting, "gateway",
            actors::spawn_gateway(system_, {parts_.store_actor, parts_.reader, parts_.notifier, parts_.clocks}));
    for (std::size_t i = 0; i < partitions(); ++i)
      spawn_keepers(i);
    parts_.partitions.resize(partitions());
    for (std::size_t i = 0; i < partitions(); ++i) {
      if (options_.roles.supervisor)
        parts_.partitions[i].supervisor = spawn_supervisor(i);
      if (options_.roles.scheduler)
        parts_.partitions[i].scheduler = spawn_scheduler(i);
    }
  }

  actors::supervisor_actor spawn_supervisor(std::size_t partition) {
    actors::supervisor_options o;
    o.period = options_.supervisor_period;
    o.slack = options_.supervisor_slack;
    o.node_ttl = options_.cluster.lease.ttl;
    o.review_max = with_.review_max;
    o.conditions = options_.conditions;
    o.conditions.failing = workflow::in_partition(o.conditions.failing, static_cast<std::uint32_t>(partitions()));
    o.conditions_period = options_.conditions_period;
    const auto to = ends_of(partition);
    return shown(parts_.lasting, "supervisor",
                 actors::spawn_supervisor(
                   system_, {to.store_actor, to.reader, parts_.clocks[partition], o, with_.log_task, with_.warn}),
                 name_in_partition(partition));
  }

  void spawn_janitor(std::size_t partition) {
    auto& p = own_.partitions[partition];
    actors::janitor_options o;
    o.keep = options_.retention; // in each, since the newest of all may be in one
    shown(p.all, "janitor", actors::spawn_janitor(system_, {p.store_actor, p.reader, parts_.clocks[partition], o}),
          name_in_partition(partition));
  }

  void spawn_bulk_runner(std::size_t partition) {
    auto& p = own_.partitions[partition];
    actors::bulk_options o;
    o.rate = share_of(options_.bulk_rate, partition);
    p.bulk_runner =
      shown(p.all, "bulk_runner",
            actors::spawn_bulk_runner(system_, {p.store_actor, p.reader, parts_.gateway, parts_.clocks[partition], o}),
            name_in_partition(partition));
  }

  actors::scheduler_actor spawn_scheduler(std::size_t partition) {
    actors::scheduler_options o;
    o.name = options_.name;
    o.in_flight_max = share_of(options_.in_flight_max, partition);
    if (options_.tracing.is_used())
      o.traced_percent = options_.tracing.sampled_percent;
    const auto to = ends_of(partition);
    return shown(parts_.lasting, "scheduler",
                 actors::spawn_scheduler(
                   system_, {to.store_actor, to.reader, own_agents(), parts_.clocks[partition], o, with_.log_task}),
                 name_in_partition(partition));
  }

  std::vector<actors::scheduler_actor> schedulers() const {
    std::vector<actors::scheduler_actor> all;
    for (const auto& p : parts_.partitions)
      if (p.scheduler)
        all.push_back(p.scheduler);
    return all;
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
    deps.partitions.assign(parts_.partition_links.begin(), parts_.partition_links.end());
    if (parts_.link)
      for (const auto& p : own_.partitions)
        deps.here.push_back(p.store != nullptr);
    deps.on_parting = with_.on_parting;
    deps.schedulers = schedulers();
    deps.own_agents = own_agents();
    deps.clock = parts_.clock;
    deps.on_time = [leads = parts_.leads](std::size_t partition, const workflow::clock_sample& s) {
      const auto before = leads[partition]->get();
      const auto known = before.set_at == s.set_at ? std::optional{before.ahead} : std::nullopt;
      leads[partition]->set({workflow::offset_after(known, s), s.set_at});
    };
    deps.log = with_.log;
    parts_.membership = shown(parts_.lasting, "membership", actors::spawn_membership(system_, std::move(deps)));
  }

  void spawn_leases() {
    workflow::node_card card{options_.name, options_.cluster.address(), options_.roles, {}};
    for (const auto& [name, agent] : parts_.agents)
      card.agents.push_back(name);
    // Held by the name, not by the process: after a restart the node has it again at once.
    const auto note_now = [card, until = with_.certificate_until, drained = drained_, own = parts_.own] {
      auto now = card;
      now.roles.store = own->get().count() > 0;
      now.drained = *drained;
      now.certificate_until = until ? until() : workflow::unset;
      return workflow::note_of(now);
    };
    for (std::size_t i = 0; i < partitions(); ++i) {
      auto& p = parts_.partitions[i];
      const auto guarded = p.scheduler ? actors::guarded_actor{p.scheduler} : actors::guarded_actor{parts_.membership};
      p.node_lease = spawn_lease(
        i, guarded, {workflow::node_lease_name(options_.name), options_.name, {}, options_.cluster.lease}, note_now);
      if (p.supervisor)
        p.supervisor_lease = spawn_lease(i, p.supervisor,
                                         {std::string{workflow::supervisor_lease_name}, with_.holder,
                                          "node " + options_.name, options_.supervisor_lease});
    }
    for (const auto& [name, make] : with_.singletons) {
      const auto guard =
        kept(parts_.lasting, "singleton",
             actors::spawn_singleton_guard(system_, {make, workflow::span{2000}, with_.warn}, with_.detached));
      note_end(parts_.lasting.back());
      parts_.singleton_leases.emplace_back(
        name, spawn_lease(0, guard, {name, with_.holder, "node " + options_.name, options_.cluster.lease}));
    }
  }

  /// Which is in that partition.
  actors::lease_actor spawn_lease(std::size_t partition, const actors::guarded_actor& guarded, actors::lease_options o,
                                  std::function<std::string()> note_now = {}) {
    o.terms.needs_progress = o.terms.needs_progress && guarded;
    const auto store_actor = ends_of(partition).store_actor;
    return shown(
      parts_.lasting, "lease",
      actors::spawn_lease_actor(system_, {store_actor, guarded, parts_.clocks[partition], o, std::move(note_now)}),
      name_in_partition(partition, o.name));
  }

  void spawn_front() {
    actors::front_deps deps;
    deps.offer = {options_.name, {}, {}, parts_.gateway, own_agents()};
    deps.own_store = [own = parts_.own, clocks = parts_.clocks] {
      const auto has = own->get();
      return actors::offered_store{has.store_actor, has.reader, shown_of(all_of(has)), offered_partitions(has, clocks),
                                   has.webhooks()};
    };
    deps.clock = partitions() == 1 ? parts_.clock : parts_.clock.own(); // it tells what its shares are decided by
    deps.actors = shown_of(lasting_parts_of(parts_));
    deps.schedulers = schedulers();
    deps.certificate_until = parts_.certificate_until;
    deps.on_drained = [drained = drained_, then = with_.on_drained] {
      *drained = true;
      if (then)
        then();
    };
    for (const auto& [name, lease] : parts_.singleton_leases)
      deps.leases.push_back(lease);
    for (const auto& p : parts_.partitions)
      if (p.supervisor_lease)
        deps.leases.push_back(p.supervisor_lease);
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

std::vector<node_part> all_of(const store_parts& p) {
  auto all = p.joining;
  for (const auto& one : p.partitions)
    all.insert(all.end(), one.all.begin(), one.all.end());
  return all;
}

std::vector<node_part> all_of(const node_parts& p) {
  auto all = all_of(p.own->get());
  for (auto& part : lasting_parts_of(p))
    all.push_back(std::move(part));
  return all;
}

void assemble(const node_options& options, node_surroundings with, node_parts& parts) {
  assembly{options, std::move(with), parts}.make();
}

void take_partition(const node_options& options, node_surroundings with, node_parts& parts, std::uint32_t partition) {
  assembly{options, std::move(with), parts}.take(partition);
}

std::vector<node_part> empty_partition(caf::actor_system& system, node_parts& parts, std::uint32_t partition,
                                       std::function<void()> then) {
  auto own = parts.own->get();
  auto& p = own.partitions[partition];
  const bool is_joined = own.partitions.size() > 1;
  std::vector<actors::own_store_actor> stores{p.store_actor};
  std::vector<actors::store_link_actor> links{is_joined ? parts.partition_links[partition] : parts.link};
  if (is_joined && partition == 0) {
    stores.insert(stores.begin(), own.store_actor); // the router before those to which it sends
    links.push_back(parts.link);
  }
  std::vector<node_part> others;
  const auto keep_what_passes_on = [&others](std::vector<node_part>& all) {
    std::vector<node_part> kept;
    for (auto& part : all) {
      part.shown = actors::inspectable_actor{};
      (part.kind == "store" || part.kind == "partition_router" ? kept : others).push_back(std::move(part));
    }
    all = std::move(kept);
  };
  if (partition == 0) {
    keep_what_passes_on(own.joining);
    own.store.reset();
    own.files.reset();
    own.store_actor = actors::own_store_actor{};
    own.reader = actors::reader_actor{};
  }
  store_parts::of_partition passes_on;
  passes_on.all = std::move(p.all);
  keep_what_passes_on(passes_on.all);
  p = std::move(passes_on);
  parts.own->set(std::move(own));
  system.spawn([membership = parts.membership, links = std::move(links), stores = std::move(stores), name = parts.name,
                partition, then = std::move(then)](caf::event_based_actor* self) {
    actors::tell(self, membership, actors::store_moved{name, {}, {}, partition});
    // Nothing is sent there from here any more before the store passes on what comes.
    using actors::actor_state, actors::inspect_state;
    const auto drain_stores = [self, stores, then] {
      ask_and_then<actors::drained>(self, stores, actors::drain{}, then);
    };
    const auto pass_links = [self, links, drain_stores] {
      ask_and_then<actor_state>(self, links, inspect_state{}, drain_stores);
    };
    ask_and_then<actor_state>(self, std::vector{membership}, inspect_state{}, pass_links);
  });
  return others;
}

void close_partition(node_parts& parts, std::uint32_t partition, const std::vector<node_part>& others) {
  parts.leads[partition]->begin();
  end_parts(others);
}

} // namespace steadfast
