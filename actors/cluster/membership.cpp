// Reads from the leases which nodes are alive, keeps this node connected to those whose store or agents it uses, tells
// the link where the store is, and the scheduler whose agents it can use. Nothing depends on its being right at once:
// the store decides on leases and locks, and one that was taken over writes nothing.

#include "actors/cluster/membership.hpp"

#include "actors/cluster/peer.hpp"
#include "actors/common/deadline_timer.hpp"
#include "actors/common/observed.hpp"
#include "actors/common/state_tree.hpp"
#include "actors/protocol/type_ids.hpp"
#include "workflow/supervision/node_card.hpp"
#include "workflow/supervision/store_choice.hpp"
#include "workflow/time/time_text.hpp"

#include <caf/actor_system.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace steadfast::actors {

namespace {

class membership : public observed<membership_actor> {
public:
  membership(caf::actor_config& cfg, membership_deps deps)
      : observed{cfg},
        deps_{std::move(deps)},
        is_here_{deps_.has_store} {}

  const char* name() const override { return "membership"; }

  void on_exit() override {
    for (auto& [address, known] : peers_)
      exit_now(known.actor);
    peers_.clear();
    deps_ = {};
  }

  behavior_type make_behavior() override {
    set_down_handler([this](const caf::down_msg& m) { on_down(m); });
    for (const auto& address : deps_.join)
      keep_connected(address);
    tell_schedulers();
    seek_later();
    read_leases();
    return {
      [this](const lease_changed& m) { on_lease(m); },
      [this](const tick_timer& m) { on_tick(m); },
      [this](const peer_changed& m) { on_peer(m); },
      [this](const peer_time& m) { on_time(m); },
      [this](const store_moved& m) { on_moved(m); },
      [this](const list_leases&) { return leases_; },
      [this](const inspect_state& m) { return state(m.listed_max); },
    };
  }

private:
  struct known_peer {
    peer_actor actor;
    peer_changed last;
    workflow::instant since;           ///< it is connected, or not
    std::optional<bool> offered_store; ///< when it was connected last; nothing: it never was
  };

  /// On a node without a scheduler, handling its messages is the guarded work.
  void on_lease(const lease_changed& m) {
    if (m.epoch != 0)
      tell(this, sender_of<lease_actor>(this), lease_progress{m.name});
  }

  // ---- who lives ----

  void on_tick(const tick_timer& m) {
    if (timer_.fires<membership_actor>(this, deps_.clock, m))
      read_leases();
    if (seek_timer_.fires<membership_actor>(this, deps_.clock, m))
      seek();
  }

  void read_leases() {
    ask(this, deps_.reader, deps_.period + reader_margin, list_leases{})
      .then(
        [this](const lease_page& page) {
          learn(page);
          leases_ = page;
          read_later();
        },
        [this](const caf::error&) { read_later(); }); // what was known before still is the best
  }

  void read_later() { timer_.set<membership_actor>(this, deps_.clock, deps_.clock.now(this) + deps_.period); }

  void learn(const lease_page& page) {
    std::set<std::string> living;
    std::set<std::string> wanted{deps_.join.begin(), deps_.join.end()};
    if (!held_at_.empty())
      wanted.insert(held_at_);
    for (const auto& lease : page.leases) {
      const auto card = workflow::card_of(lease->name, lease->note);
      if (!card || card->name == deps_.own_name || lease->expires_at <= page.now)
        continue;
      living.insert(card->name);
      if (!deps_.schedulers.empty() && card->roles.agents && !card->agents.empty() && !card->address.empty())
        wanted.insert(card->address);
    }
    for (const auto& address : wanted)
      keep_connected(address);
    std::erase_if(peers_, [&](auto& p) {
      const bool unwanted = !wanted.contains(p.first);
      if (unwanted)
        exit_now(p.second.actor);
      return unwanted;
    });
    if (std::exchange(living_, std::move(living)) != living_)
      tell_schedulers();
  }

  // ---- who is connected ----

  void keep_connected(const std::string& address) {
    if (peers_.contains(address))
      return;
    peer_deps p;
    p.dialer = deps_.dialer;
    p.owner = membership_actor{this};
    p.listener = membership_actor{this};
    p.clock = deps_.clock;
    p.address = address;
    p.period = deps_.period;
    p.chance = std::hash<std::string>{}(deps_.own_name + " " + address);
    peers_[address] = {
      spawn_peer(system(), std::move(p)), {address, false, {}, "not connected yet"}, deps_.clock.now(this), {}};
  }

  void on_peer(const peer_changed& m) {
    const auto found = peers_.find(m.address);
    if (found == peers_.end())
      return;
    auto& known = found->second;
    auto now_known = m;
    if (!m.connected)
      now_known.offer.node = known.last.offer.node; // still the same node
    if (m.connected && !offers_store(m) && deps_.join.size() == 1 && m.address == deps_.join.front()) {
      now_known.connected = false;
      now_known.trouble =
        "node `" + m.offer.node + "` has not the store now; `cluster.join` names it as the one that has";
    }
    if (now_known.connected && offers_store(m) && m.partitions.size() != deps_.partitions.size()) {
      now_known.connected = false;
      now_known.trouble = other_number(m);
      forget_store(now_known);
    }
    if (offers_store(now_known))
      monitor(now_known.offer.reader);
    log_change(known.last, now_known);
    if (known.last.connected != now_known.connected)
      known.since = deps_.clock.now(this);
    known.last = now_known;
    const bool has_begun = m.connected && offers_store(m) && known.offered_store == std::optional{false};
    if (m.connected)
      known.offered_store = offers_store(m);
    choose_store(m.address, has_begun);
    tell_schedulers();
  }

  std::string other_number(const peer_changed& m) const {
    const auto partitions = [](std::size_t several) { return counted(std::max<std::size_t>(several, 1), "partition"); };
    return "node `" + m.offer.node + "` has a store of " + partitions(m.partitions.size())
           + ", and this node was told of " + partitions(deps_.partitions.size()) + ": set store.partitions";
  }

  void log_change(const peer_changed& before, const peer_changed& after) const {
    if (!deps_.log || (before.connected == after.connected && before.trouble == after.trouble))
      return;
    deps_.log(after.connected ? "connected to " + who(after) : "no connection to " + who(after) + ": " + after.trouble);
  }

  static std::string who(const peer_changed& m) {
    return m.offer.node.empty() ? m.address : "node " + m.offer.node + " at " + m.address;
  }

  // ---- who has the store ----

  static bool offers_store(const peer_changed& m) { return m.offer.store_actor && m.offer.reader; }

  static void forget_store(peer_changed& m) {
    m.offer.store_actor = store_actor{};
    m.offer.reader = reader_actor{};
    m.partitions.clear();
  }

  bool may_have_store(const std::string& address) const {
    return held_at_.empty() ? std::count(deps_.join.begin(), deps_.join.end(), address) > 0 : address == held_at_;
  }

  bool has_store(const std::string& address) const {
    const auto known = peers_.find(address);
    return known != peers_.end() && known->second.last.connected && offers_store(known->second.last);
  }

  /// After one of the others has changed.
  void choose_store(const std::string& changed, bool has_begun) {
    if (is_here_ || !deps_.link || !may_have_store(changed))
      return;
    std::vector<workflow::store_candidate> candidates;
    for (const auto& [address, known] : peers_)
      if (may_have_store(address))
        candidates.push_back({address, has_store(address), has_begun && address == changed});
    const auto chosen = workflow::store_to_follow(candidates, store_at_);
    const bool is_other = std::exchange(store_at_, chosen) != chosen;
    if (is_other || chosen == changed)
      tell_link(chosen);
    const bool had_store = std::exchange(is_reached_, has_store(chosen));
    if (had_store && !is_reached_ && peers_.at(chosen).last.connected)
      part();
    if (is_reached_ && (is_other || !had_store))
      meet_store();
    if (!is_reached_)
      seek_later();
  }

  /// The next look is a period away, and until its clock is known the agents of this node take no orders.
  void meet_store() {
    tell(this, peers_.at(store_at_).actor, look_again{});
    read_leases();
  }

  void tell_link(const std::string& address) {
    const auto& known = peers_.at(address);
    auto m = known.last;
    if (!m.connected)
      m.trouble = who(m) + " has been away since " + workflow::utc_text(known.since) + " (" + m.trouble + ")";
    else if (!offers_store(m))
      m.trouble = "node " + m.offer.node + " does not have it now";
    tell_links(std::move(m));
  }

  /// Each that it has its part of the store, or that there is none.
  void tell_links(peer_changed m) {
    const auto partitions = std::exchange(m.partitions, {});
    for (std::size_t i = 0; i < deps_.partitions.size(); ++i) {
      auto of_one = m;
      if (of_one.offer.store_actor) {
        of_one.offer.store_actor = partitions[i].store_actor;
        of_one.offer.reader = partitions[i].reader;
      }
      tell(this, deps_.partitions[i], std::move(of_one));
    }
    tell(this, deps_.link, std::move(m));
  }

  /// The reader of a node that lets the store go is the first to end.
  void on_down(const caf::down_msg& m) {
    const auto found = std::find_if(peers_.begin(), peers_.end(),
                                    [&](const auto& p) { return p.second.last.offer.reader.address() == m.source; });
    if (found == peers_.end())
      return;
    auto now_known = found->second.last;
    forget_store(now_known);
    on_peer(now_known);
    tell(this, found->second.actor, look_again{}); // it shall know it, too
  }

  void part() {
    moving_until_ = deps_.clock.own_time(this) + moving_limit;
    if (deps_.on_parting)
      deps_.on_parting();
  }

  /// This node lets it go.
  void leave_store() {
    is_here_ = is_reached_ = false;
    store_at_.clear();
    held_at_.clear();
    for (auto& [address, known] : peers_)
      known.offered_store = false;
    tell_links({{}, true, {deps_.own_name, {}, {}, {}, {}}, "it moves to another node"});
    part();
    seek_later();
  }

  void on_moved(const store_moved& m) {
    if (m.node == deps_.own_name && !m.store_actor && is_here_)
      return leave_store();
    if (is_here_)
      return;
    if (m.store_actor) {
      is_here_ = true;
      tell_links({{}, true, {deps_.own_name, m.store_actor, m.reader, {}, {}}, {}, m.partitions});
      return read_leases();
    }
    if (m.address.empty())
      return tell_links({{}, false, {}, "node " + m.node + " has it, and listens nowhere (cluster.listen)"});
    if (m.address == held_at_)
      return;
    held_at_ = m.address;
    keep_connected(held_at_);
    choose_store(held_at_, false);
    if (!is_reached_)
      seek();
  }

  /// A node that has just taken the store tells nobody.
  void seek() {
    for (const auto& [address, known] : peers_)
      if (known.last.connected && may_have_store(address) && !has_store(address))
        tell(this, known.actor, look_again{});
    seek_later();
  }

  void seek_later() {
    const bool is_moving = deps_.clock.own_time(this) < moving_until_;
    const auto wait = is_reached_ ? deps_.period : is_moving ? deps_.moving_period : deps_.seek_period;
    if (deps_.link && !is_here_)
      seek_timer_.set<membership_actor>(this, deps_.clock, deps_.clock.now(this) + wait);
  }

  void on_time(const peer_time& m) const {
    if (deps_.on_time && !is_here_ && m.address == store_at_)
      deps_.on_time(m.sample);
  }

  // ---- whose agents can be used ----

  /// The agents of this node, and those of every node that lives and is connected.
  void tell_schedulers() {
    if (deps_.schedulers.empty())
      return;
    agents_alive all{deps_.own_agents};
    std::set<std::string> told; // a node may be known by two addresses
    for (const auto& [address, known] : peers_) {
      const auto& node = known.last.offer.node;
      const bool lives = living_.contains(node);
      if (!known.last.connected || !lives || !told.insert(node).second)
        continue;
      for (const auto& a : known.last.offer.agents)
        all.agents.push_back(a);
    }
    for (const auto& scheduler : deps_.schedulers)
      tell(this, scheduler, all);
  }

  actor_state state(std::size_t listed_max) const {
    const auto peer = [](const auto& entry) -> state_tree {
      const auto& [address, known] = entry;
      return {{"node", known.last.offer.node}, // empty: not known yet
              {"address", address},
              {"connected", known.last.connected},
              {"trouble", known.last.trouble}};
    };
    const auto same = [](const std::string& name) { return state_value{name}; };
    return state_of(counted(living_.size(), "other node") + " alive",
                    {{"alive", listed(living_, listed_max, same)}, {"peers", listed(peers_, listed_max, peer)}});
  }

  static constexpr workflow::span reader_margin{5000};
  static constexpr workflow::span moving_limit{5000}; ///< for a store to be found elsewhere

  membership_deps deps_;
  deadline_timer timer_;
  deadline_timer seek_timer_;
  std::string held_at_;     ///< address of the node with the store, by the word of its server; empty: nobody has said
  std::string store_at_;    ///< address of the one that the link was told of
  bool is_reached_ = false; ///< its store, there
  bool is_here_ = false;    ///< this node, which has a link, has it now
  workflow::instant moving_until_ = workflow::unset; ///< somebody has let it go, and another is to have it
  lease_page leases_;                                ///< as they were read last
  std::set<std::string> living_;                     ///< names of the other nodes whose leases are held
  std::map<std::string, known_peer> peers_;          ///< by address
};

} // namespace

membership_actor spawn_membership(caf::actor_system& sys, membership_deps deps) {
  return sys.spawn<membership>(std::move(deps));
}

} // namespace steadfast::actors
