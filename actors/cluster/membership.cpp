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
        parts_(std::max<std::size_t>(deps_.partitions.size(), 1)) {
    for (std::size_t i = 0; i < deps_.here.size(); ++i)
      parts_.at(i).is_here = deps_.here[i];
  }

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
    workflow::instant since;                  ///< it is connected, or not
    std::vector<std::optional<bool>> offered; ///< of each part, when it was connected last; nothing: it never was
  };

  /// A partition of the store, or the whole of one that has no others.
  struct followed_part {
    std::string held_at;     ///< address of the node with it, by the word of its server; empty: nobody has said
    std::string store_at;    ///< address of the one that its link was told of
    bool is_reached = false; ///< there
    bool is_here = false;    ///< this node, which has a link, has it now
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
    for (const auto& part : parts_)
      if (!part.held_at.empty())
        wanted.insert(part.held_at);
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
    peers_[address] = {spawn_peer(system(), std::move(p)),
                       {address, false, {}, "not connected yet"},
                       deps_.clock.now(this),
                       std::vector<std::optional<bool>>(parts_.size())};
  }

  void on_peer(const peer_changed& m) {
    const auto found = peers_.find(m.address);
    if (found == peers_.end())
      return;
    auto& known = found->second;
    auto now_known = m;
    if (!m.connected)
      now_known.offer.node = known.last.offer.node; // still the same node
    if (m.connected && !offers_any(m) && deps_.join.size() == 1 && m.address == deps_.join.front()) {
      now_known.connected = false;
      now_known.trouble =
        "node `" + m.offer.node + "` has not the store now; `cluster.join` names it as the one that has";
    }
    if (now_known.connected && offers_any(m) && m.partitions.size() != deps_.partitions.size()) {
      now_known.connected = false;
      now_known.trouble = other_number(m);
      for (std::size_t i = 0; i < parts_.size(); ++i)
        forget(now_known, i);
    }
    for (std::size_t i = 0; i < parts_.size(); ++i)
      if (offers(now_known, i))
        monitor(ends_in(now_known, i).reader);
    log_change(known.last, now_known);
    if (known.last.connected != now_known.connected)
      known.since = deps_.clock.now(this);
    known.last = now_known;
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      const bool has_begun = m.connected && offers(m, i) && known.offered[i] == std::optional{false};
      if (m.connected)
        known.offered[i] = offers(m, i);
      choose(i, m.address, has_begun);
    }
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

  bool is_whole() const { return deps_.partitions.empty(); }

  /// None: it does not have that part.
  store_ends ends_in(const peer_changed& m, std::size_t i) const {
    if (is_whole())
      return {m.offer.store_actor, m.offer.reader};
    return i < m.partitions.size() ? m.partitions[i].ends : store_ends{};
  }
  bool offers(const peer_changed& m, std::size_t i) const {
    const auto ends = ends_in(m, i);
    return ends.store_actor && ends.reader;
  }
  static bool offers_any(const peer_changed& m) {
    return m.offer.store_actor
           || std::any_of(m.partitions.begin(), m.partitions.end(), [](const auto& p) { return p.ends.store_actor; });
  }

  /// Writes take turns where the first part is.
  void forget(peer_changed& m, std::size_t i) const {
    if (i == 0) {
      m.offer.store_actor = store_actor{};
      m.offer.reader = reader_actor{};
    }
    if (i < m.partitions.size())
      m.partitions[i] = {};
  }

  bool may_have(const std::string& address, std::size_t i) const {
    const auto& held_at = parts_[i].held_at;
    return held_at.empty() ? std::count(deps_.join.begin(), deps_.join.end(), address) > 0 : address == held_at;
  }

  bool has(const std::string& address, std::size_t i) const {
    const auto known = peers_.find(address);
    return known != peers_.end() && known->second.last.connected && offers(known->second.last, i);
  }

  /// After one of the others has changed.
  void choose(std::size_t i, const std::string& changed, bool has_begun) {
    auto& part = parts_[i];
    if (part.is_here || !deps_.link || !may_have(changed, i))
      return;
    std::vector<workflow::store_candidate> candidates;
    for (const auto& [address, known] : peers_)
      if (may_have(address, i))
        candidates.push_back({address, has(address, i), has_begun && address == changed});
    const auto chosen = workflow::store_to_follow(candidates, part.store_at);
    const bool is_other = std::exchange(part.store_at, chosen) != chosen;
    if (is_other || chosen == changed)
      tell_of_peer(i, chosen);
    const bool was_reached = std::exchange(part.is_reached, has(chosen, i));
    if (was_reached && !part.is_reached && peers_.at(chosen).last.connected)
      expect_a_move();
    if (part.is_reached && (is_other || !was_reached))
      meet(chosen);
    if (!part.is_reached)
      seek_later();
  }

  /// The next look is a period away, and until its clock is known the agents of this node take no orders.
  void meet(const std::string& address) {
    tell(this, peers_.at(address).actor, look_again{});
    read_leases();
  }

  void tell_of_peer(std::size_t i, const std::string& address) {
    const auto& known = peers_.at(address);
    auto m = known.last;
    if (!m.connected)
      m.trouble = who(m) + " has been away since " + workflow::utc_text(known.since) + " (" + m.trouble + ")";
    else if (!offers(m, i))
      m.trouble = "node " + m.offer.node + " does not have it now";
    tell_link(i, std::move(m));
  }

  /// That of the part, and with the first that of the whole.
  void tell_link(std::size_t i, peer_changed m) {
    const auto ends = ends_in(m, i);
    m.partitions.clear();
    if (i == 0)
      tell(this, deps_.link, m);
    if (is_whole())
      return;
    m.offer.store_actor = ends.store_actor;
    m.offer.reader = ends.reader;
    tell(this, deps_.partitions[i], std::move(m));
  }

  /// The reader of a node that lets a part go is the first to end.
  void on_down(const caf::down_msg& m) {
    for (const auto& [address, known] : peers_)
      for (std::size_t i = 0; i < parts_.size(); ++i)
        if (ends_in(known.last, i).reader.address() == m.source) {
          auto now_known = known.last;
          forget(now_known, i);
          on_peer(now_known);
          tell(this, known.actor, look_again{}); // it shall know it, too
          return;
        }
  }

  void expect_a_move() {
    moving_until_ = deps_.clock.own_time(this) + moving_limit;
    if (deps_.on_parting)
      deps_.on_parting();
  }

  /// This node lets it go.
  void leave(std::size_t i) {
    parts_[i] = {};
    for (auto& [address, known] : peers_)
      known.offered[i] = false;
    tell_link(i, {{}, true, {deps_.own_name, {}, {}, {}, {}}, "it moves to another node"});
    expect_a_move();
    seek_later();
  }

  void on_moved(const store_moved& m) {
    const std::size_t i = m.partition;
    auto& part = parts_[i];
    if (m.node == deps_.own_name && !m.ends.store_actor && part.is_here)
      return leave(i);
    if (part.is_here)
      return;
    if (m.ends.store_actor) {
      part.is_here = true;
      const auto& whole = is_whole() ? m.ends : m.whole;
      peer_changed here{{}, true, {deps_.own_name, whole.store_actor, whole.reader, {}, {}}, {}};
      here.partitions.resize(deps_.partitions.size());
      if (!is_whole())
        here.partitions[i].ends = m.ends;
      tell_link(i, std::move(here));
      return read_leases();
    }
    if (m.address.empty())
      return tell_link(i, {{}, false, {}, "node " + m.node + " has it, and listens nowhere (cluster.listen)"});
    if (m.address == part.held_at)
      return;
    part.held_at = m.address;
    keep_connected(m.address);
    choose(i, m.address, false);
    if (!part.is_reached)
      seek();
  }

  /// A node that has just taken a part of the store tells nobody.
  void seek() {
    for (const auto& [address, known] : peers_)
      if (known.last.connected && may_have_more(address))
        tell(this, known.actor, look_again{});
    seek_later();
  }

  bool may_have_more(const std::string& address) const {
    for (std::size_t i = 0; i < parts_.size(); ++i)
      if (!parts_[i].is_here && may_have(address, i) && !has(address, i))
        return true;
    return false;
  }

  void seek_later() {
    const auto is_found = [](const followed_part& p) { return p.is_reached || p.is_here; };
    const auto is_here = [](const followed_part& p) { return p.is_here; };
    const bool is_moving = deps_.clock.own_time(this) < moving_until_;
    const auto wait = std::all_of(parts_.begin(), parts_.end(), is_found) ? deps_.period
                      : is_moving                                         ? deps_.moving_period
                                                                          : deps_.seek_period;
    if (deps_.link && !std::all_of(parts_.begin(), parts_.end(), is_here))
      seek_timer_.set<membership_actor>(this, deps_.clock, deps_.clock.now(this) + wait);
  }

  /// A node decides all partitions that it has by its own clock, which each of them calls by another name.
  void on_time(const peer_time& m) const {
    if (!deps_.on_time)
      return;
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      if (parts_[i].is_here || parts_[i].store_at != m.address)
        continue;
      auto sample = m.sample;
      if (!is_whole()) {
        if (!has(m.address, i))
          continue;
        sample.set_at = peers_.at(m.address).last.partitions[i].clock;
      }
      deps_.on_time(i, sample);
    }
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
                    {{"alive", listed(living_, listed_max, same)},
                     {"peers", listed(peers_, listed_max, peer)},
                     {"partitions", listed(nodes_of_partitions(), listed_max, same)}});
  }

  /// Which node has each partition of the store: empty, nobody is known. None: the store is whole.
  std::vector<std::string> nodes_of_partitions() const {
    std::vector<std::string> nodes;
    for (std::size_t i = 0; i < deps_.partitions.size(); ++i)
      nodes.push_back(parts_[i].is_here            ? deps_.own_name
                      : has(parts_[i].store_at, i) ? peers_.at(parts_[i].store_at).last.offer.node
                                                   : "");
    return nodes;
  }

  static constexpr workflow::span reader_margin{5000};
  static constexpr workflow::span moving_limit{5000}; ///< for a store to be found elsewhere

  membership_deps deps_;
  deadline_timer timer_;
  deadline_timer seek_timer_;
  std::vector<followed_part> parts_;                 ///< of the store
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
