// Keeps one other node connected: dials, asks what it has, dials again when it is lost.

#include "actors/cluster/peer.hpp"

#include "actors/common/deadline_timer.hpp"
#include "actors/common/error_text.hpp"
#include "actors/protocol/type_ids.hpp"
#include "workflow/definition/retry.hpp"
#include "workflow/time/clock_offset.hpp"

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <algorithm>
#include <utility>
#include <vector>

namespace steadfast::actors {

namespace {

constexpr workflow::span dial_limit{8000};
constexpr workflow::span answer_limit{3000};

struct peer_offer {
  node_offer of_node;                  ///< with the whole of its shares
  std::vector<store_share> partitions; ///< of those

  friend bool operator==(const peer_offer&, const peer_offer&) = default;
};

class peer : public peer_actor::base {
public:
  peer(caf::actor_config& cfg, peer_deps deps) : peer_actor::base{cfg}, deps_{std::move(deps)} {
    deps_.clock = deps_.clock.own();
  }

  const char* name() const override { return "peer"; }

  void on_exit() override {
    there_ = {};
    offer_ = {};
    deps_ = {};
  }

  behavior_type make_behavior() override {
    set_down_handler([this](const caf::down_msg& m) {
      if (there_.front && m.source == there_.front.address())
        lose("the connection was lost");
    });
    connect();
    return {
      [this](const tick_timer& m) { on_tick(m); },
      [this](const look_again&) {
        if (!there_.front)
          return;
        learn_offer();
        ask_for_time();
      },
    };
  }

private:
  workflow::instant now() const { return deps_.clock.now(this); }

  void on_tick(const tick_timer& m) {
    if (!timer_.fires<peer_actor>(this, deps_.clock, m))
      return;
    if (now() < next_)
      return timer_.set<peer_actor>(this, deps_.clock, next_);
    if (there_.front)
      ask_for_time();
    else
      connect();
  }

  void look_again_in(workflow::span wait) {
    next_ = now() + wait;
    timer_.set<peer_actor>(this, deps_.clock, next_);
  }

  // ---- connecting ----

  void connect() {
    next_ = workflow::never; // until it is known how this ends
    ask(this, deps_.dialer, dial_limit, dial{deps_.address})
      .then([this](const reached_node& m) { greet(m); }, [this](const caf::error& e) { fail(text_of(e, system())); });
  }

  void greet(const reached_node& reached) {
    learn(
      reached, [this, reached](const peer_offer& m) { meet(reached, m); },
      [this] { fail("it accepts connections and does not answer"); });
  }

  /// Asks what it offers, and for its shares of a store of several partitions if it offers none as a whole.
  template <class Then, class Otherwise>
  void learn(const reached_node& from, Then then, Otherwise otherwise) {
    const auto failed = [otherwise](const caf::error&) { otherwise(); };
    ask(this, from.front, answer_limit, hello{})
      .then(
        [this, from, then, failed](node_offer& m) {
          if (m.store_actor || !from.tells_partitions)
            return then(peer_offer{std::move(m), {}});
          ask(this, caf::actor_cast<partitioned_front>(from.front), answer_limit, ask_shares{})
            .then(
              [then, m](store_shares& s) mutable {
                m.store_actor = s.whole.store_actor;
                m.reader = s.whole.reader;
                then(peer_offer{std::move(m), std::move(s.partitions)});
              },
              failed);
        },
        failed);
  }

  /// It may offer no more than its certificate allows.
  void meet(const reached_node& reached, const peer_offer& m) {
    const auto& offer = m.of_node;
    if (!reached.name.empty() && offer.node != reached.name)
      return fail("it says that it is `" + offer.node + "`, and the connection is to `" + reached.name + "`");
    if (!reached.has_store && has_some_store(m))
      return fail("it offers a store, and its certificate is not for that");
    welcome(reached, m);
  }

  static bool has_some_store(const peer_offer& m) {
    return m.of_node.store_actor || m.of_node.reader
           || std::any_of(m.partitions.begin(), m.partitions.end(),
                          [](const auto& p) { return p.ends.store_actor || p.ends.reader; });
  }

  void welcome(const reached_node& reached, const peer_offer& offer) {
    tries_ = 0;
    drained_ = false;
    there_ = reached;
    monitor(there_.front);
    offer_ = offer;
    tell_offer();
    ask_for_time();
  }

  void tell_offer() {
    tell(this, deps_.owner, peer_changed{deps_.address, true, offer_.of_node, {}, offer_.partitions});
  }

  /// An answer may arrive after its process has gone and another has taken its place.
  bool is_present(const node_front& asked) const { return asked == there_.front; }

  void learn_offer() {
    learn(
      there_,
      [this, asked = there_.front](const peer_offer& m) {
        if (is_present(asked) && m != std::exchange(offer_, m))
          tell_offer();
      },
      [this] { drained_ = false; });
  }

  void fail(const std::string& why) {
    tell(this, deps_.owner, peer_changed{deps_.address, false, {}, why});
    ++tries_;
    const auto wait = workflow::back_off(deps_.redial, tries_, workflow::mixed(deps_.chance, tries_, 0));
    look_again_in(wait);
  }

  void lose(const std::string& why) {
    there_ = {};
    fail(why);
  }

  // ---- time ----

  void ask_for_time() {
    look_again_in(deps_.period);
    const auto asked_at = now();
    ask(this, there_.front, answer_limit, ask_time{})
      .then(
        [this, asked_at, asked = there_.front](const told_time& m) {
          if (!is_present(asked))
            return;
          tell(this, deps_.listener, peer_time{deps_.address, {asked_at, now(), m.now, m.set_at}});
          if (m.drained && !std::exchange(drained_, true))
            learn_offer();
        },
        [](const caf::error&) {}); // this does not decide whether it is alive
  }

  peer_deps deps_;
  reached_node there_; ///< while connected
  peer_offer offer_;   ///< as the owner knows it, likewise
  deadline_timer timer_;
  workflow::instant next_;
  std::uint32_t tries_ = 0;
  bool drained_ = false; ///< and its offer says so
};

} // namespace

peer_actor spawn_peer(caf::actor_system& sys, peer_deps deps) {
  return sys.spawn<peer>(std::move(deps));
}

} // namespace steadfast::actors
