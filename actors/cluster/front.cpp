// What others see of this node: what it offers, the time, its actors. People drain the node through it.

#include "actors/cluster/front.hpp"

#include "actors/common/deadline_timer.hpp"
#include "actors/common/observed.hpp"
#include "actors/protocol/type_ids.hpp"

#include <caf/actor_system.hpp>
#include <caf/sec.hpp>
#include <caf/typed_event_based_actor.hpp>
#include <caf/typed_response_promise.hpp>

#include <algorithm>
#include <memory>
#include <utility>

namespace steadfast::actors {

namespace {

/// Actors that were asked for their state by one request.
struct inspection_round {
  actor_page page;
  std::size_t unanswered = 0;
  caf::typed_response_promise<actor_page> promise;
};

class front : public whole_front::base {
public:
  front(caf::actor_config& cfg, front_deps deps) : whole_front::base{cfg}, deps_{std::move(deps)} {}

  const char* name() const override { return "node_front"; }

  void on_exit() override { deps_ = {}; }

  behavior_type make_behavior() override {
    return {
      [this](const hello&) { return offer(); },
      [this](const ask_time&) {
        const auto clock = deps_.clock.reading(this);
        const auto until = deps_.certificate_until ? deps_.certificate_until() : workflow::unset;
        return told_time{clock.now, clock.set_at, drained_, until};
      },
      [this](const list_actors& m) { return on_list(m); },
      [this](const find_actor& m) { return on_find(m); },
      [this](const drain_node& m) { on_drain(m); },
      [this](const ask_partitions&) { return all_partitions(); },
      [this](const ask_shares&) { return shares(); },
      [this](const test_named_webhook& m) { return on_test(m); },
    };
  }

private:
  node_offer offer() const {
    auto o = deps_.offer;
    if (drained_)
      o.agents.clear();
    if (const auto own = own_store(); own.store_actor && own.partitions.empty()) {
      o.store_actor = own.store_actor;
      o.reader = own.reader;
    }
    return o;
  }

  store_shares shares() const {
    auto own = own_store();
    if (own.partitions.empty())
      return {};
    return {{own.store_actor, own.reader}, std::move(own.partitions)};
  }

  /// None unless all are here.
  partitioned_store all_partitions() const {
    const auto has = shares();
    partitioned_store all{has.whole, {}};
    for (const auto& p : has.partitions) {
      if (!p.ends.store_actor)
        return {};
      all.partitions.push_back(p.ends);
    }
    return all;
  }

  offered_store own_store() const { return deps_.own_store ? deps_.own_store() : offered_store{}; }

  std::vector<named_actor> all_actors() const {
    auto all = own_store().actors;
    all.insert(all.end(), deps_.actors.begin(), deps_.actors.end());
    return all;
  }

  // ---- inspection ----

  caf::result<actor_page> on_list(const list_actors& m) {
    auto round = std::make_shared<inspection_round>();
    std::vector<named_actor> meant;
    for (const auto& a : all_actors())
      if (m.kind.empty() || m.kind == a.kind)
        meant.push_back(a);
    for (const auto& a : meant)
      round->page.actors.push_back(seen_from_outside(a));
    round->unanswered = meant.size();
    if (meant.empty())
      return std::move(round->page);
    round->promise = make_response_promise<actor_page>();
    for (std::size_t i = 0; i < meant.size(); ++i)
      inspect(meant[i], 0, [round, i](actor_state* state) {
        set_state(round->page.actors[i], state);
        if (--round->unanswered == 0)
          round->promise.deliver(std::move(round->page));
      });
    return round->promise;
  }

  caf::result<actor_view> on_find(const find_actor& m) {
    const auto all = all_actors();
    const auto found = std::find_if(all.begin(), all.end(), [&](const named_actor& a) { return id_of(a) == m.id; });
    if (found == all.end())
      return caf::make_error(caf::sec::runtime_error, "there is no actor `" + m.id + "`");
    auto promise = make_response_promise<actor_view>();
    inspect(*found, m.listed_max, [promise, view = seen_from_outside(*found)](actor_state* state) mutable {
      set_state(view, state);
      promise.deliver(std::move(view));
    });
    return promise;
  }

  std::string id_of(const named_actor& a) const {
    return a.kind + (a.name.empty() ? "" : ":" + a.name) + "@" + deps_.offer.node;
  }

  actor_view seen_from_outside(const named_actor& a) {
    actor_view v;
    v.id = id_of(a);
    v.kind = a.kind;
    v.node = deps_.offer.node;
    if (const auto* meter = dynamic_cast<const mailbox_meter*>(caf::actor_cast<caf::abstract_actor*>(a.actor)))
      v.mailbox = meter->look(system());
    return v;
  }

  /// `then` gets null when there is no answer within the limit.
  template <class Then>
  void inspect(const named_actor& a, std::uint32_t listed_max, Then then) {
    ask(this, a.actor, deps_.inspection_limit, inspect_state{listed_max})
      .then([then](actor_state& s) mutable { then(&s); }, [then](const caf::error&) mutable { then(nullptr); });
  }

  static void set_state(actor_view& v, actor_state* state) {
    v.answers = state != nullptr;
    if (state)
      v.state = std::move(*state);
  }

  // ---- webhooks ----

  caf::result<webhook_tried> on_test(const test_named_webhook& m) {
    const auto own = own_store();
    const auto found = own.webhooks.find(m.name);
    if (found == own.webhooks.end())
      return caf::make_error(caf::sec::runtime_error,
                             "node `" + deps_.offer.node + "` has no webhook `" + m.name + "`");
    auto promise = make_response_promise<webhook_tried>();
    ask(this, found->second, webhook_limit, test_webhook{})
      .then([promise](webhook_tried& w) mutable { promise.deliver(std::move(w)); },
            [promise](const caf::error& e) mutable { promise.deliver(e); });
    return promise;
  }

  // ---- draining ----

  /// The answers of the parts are ignored: their states show how far they are.
  void on_drain(const drain_node& m) {
    drained_ = true;
    if (deps_.on_drained)
      deps_.on_drained();
    for (const auto& s : deps_.schedulers)
      ask(this, s, m.limit + drain_margin, drain{m.limit}).then([](const drained&) {}, ignore);
    for (const auto& a : deps_.offer.agents)
      ask(this, a.agent, m.limit + drain_margin, drain{m.limit}).then([](const drained&) {}, ignore);
    for (const auto& l : deps_.leases)
      ask(this, l, drain_margin, drain{}).then([](const drained&) {}, ignore);
  }

  static constexpr auto ignore = [](const caf::error&) {};
  static constexpr workflow::span drain_margin{10'000};
  static constexpr workflow::span webhook_limit{20'000}; ///< its own is less

  front_deps deps_;
  bool drained_ = false;
};

} // namespace

whole_front spawn_front(caf::actor_system& sys, front_deps deps) {
  return sys.spawn<front>(std::move(deps));
}

} // namespace steadfast::actors
