// Reads from the leases which nodes are alive, keeps this node connected to those whose store or agents it uses, and
// tells the scheduler whose agents it can use. Nothing depends on its being right at once: the store decides on leases
// and locks.

#include "actors/cluster/membership.hpp"

#include "actors/cluster/peer.hpp"
#include "actors/common/deadline_timer.hpp"
#include "actors/common/observed.hpp"
#include "actors/common/state_tree.hpp"
#include "actors/protocol/type_ids.hpp"
#include "workflow/supervision/node_card.hpp"
#include "workflow/time/time_text.hpp"

#include <caf/actor_system.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <map>
#include <set>
#include <utility>

namespace steadfast::actors {

namespace {

class membership : public observed<membership_actor> {
public:
  membership(caf::actor_config& cfg, membership_deps deps) : observed{cfg}, deps_{std::move(deps)} {}

  const char* name() const override { return "membership"; }

  void on_exit() override {
    for (auto& [address, known] : peers_)
      exit_now(known.actor);
    peers_.clear();
    deps_ = {};
  }

  behavior_type make_behavior() override {
    if (!deps_.join.empty())
      keep_connected(deps_.join);
    tell_scheduler();
    read_leases();
    return {
      [this](const lease_changed& m) { on_lease(m); },
      [this](const tick_timer& m) { on_tick(m); },
      [this](const peer_changed& m) { on_peer(m); },
      [this](const list_leases&) { return leases_; },
      [this](const inspect_state& m) { return state(m.listed_max); },
    };
  }

private:
  struct known_peer {
    peer_actor actor;
    peer_changed last;
    workflow::instant since; ///< it is connected, or not
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
    std::set<std::string> wanted;
    if (!deps_.join.empty())
      wanted.insert(deps_.join);
    for (const auto& lease : page.leases) {
      const auto card = workflow::card_of(lease->name, lease->note);
      if (!card || card->name == deps_.own_name || lease->expires_at <= page.now)
        continue;
      living.insert(card->name);
      if (deps_.scheduler && card->roles.agents && !card->agents.empty() && !card->address.empty())
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
      tell_scheduler();
  }

  // ---- who is connected ----

  void keep_connected(const std::string& address) {
    if (peers_.contains(address))
      return;
    peer_deps p;
    p.dialer = deps_.dialer;
    p.owner = membership_actor{this};
    p.clock = deps_.clock;
    p.address = address;
    p.period = deps_.period;
    p.chance = std::hash<std::string>{}(deps_.own_name + " " + address);
    if (address == deps_.join)
      p.on_time = deps_.on_time;
    peers_[address] = {
      spawn_peer(system(), std::move(p)), {address, false, {}, "not connected yet"}, deps_.clock.now(this)};
  }

  void on_peer(const peer_changed& m) {
    const auto found = peers_.find(m.address);
    if (found == peers_.end())
      return;
    auto now_known = m;
    if (!m.connected)
      now_known.offer.node = found->second.last.offer.node; // still the same node
    if (m.address == deps_.join && m.connected && (!m.offer.writer || !m.offer.reader)) {
      now_known.connected = false;
      now_known.trouble = "node `" + m.offer.node + "` has not the role `store`: join must name the node that has";
    }
    log_change(found->second.last, now_known);
    const bool is_reached = now_known.connected && !found->second.last.connected;
    if (found->second.last.connected != now_known.connected)
      found->second.since = deps_.clock.now(this);
    found->second.last = now_known;
    if (m.address == deps_.join) {
      if (!now_known.connected)
        now_known.trouble = who(now_known) + " has been away since " + workflow::utc_text(found->second.since) + " ("
                            + now_known.trouble + ")";
      tell(this, deps_.link, now_known);
      if (is_reached)
        read_leases(); // there was nobody to ask before, and the next look is a period away
    }
    tell_scheduler();
  }

  void log_change(const peer_changed& before, const peer_changed& after) const {
    if (!deps_.log || (before.connected == after.connected && before.trouble == after.trouble))
      return;
    deps_.log(after.connected ? "connected to " + who(after) : "no connection to " + who(after) + ": " + after.trouble);
  }

  static std::string who(const peer_changed& m) {
    return m.offer.node.empty() ? m.address : "node " + m.offer.node + " at " + m.address;
  }

  /// The agents of this node, and those of every node that lives and is connected.
  void tell_scheduler() {
    if (!deps_.scheduler)
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
    tell(this, deps_.scheduler, std::move(all));
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

  membership_deps deps_;
  deadline_timer timer_;
  lease_page leases_;                       ///< as they were read last
  std::set<std::string> living_;            ///< names of the other nodes whose leases are held
  std::map<std::string, known_peer> peers_; ///< by address
};

} // namespace

membership_actor spawn_membership(caf::actor_system& sys, membership_deps deps) {
  return sys.spawn<membership>(std::move(deps));
}

} // namespace steadfast::actors
