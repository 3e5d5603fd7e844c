// What clients with a client's certificate find instead of the front, the store and its reader: they submit, query, and
// receive progress. Leases, locks, decisions and acts are for nodes.

#include "actors/gateway/client_gateway.hpp"

#include "actors/protocol/type_ids.hpp"

#include <caf/actor_system.hpp>
#include <caf/sec.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <utility>

namespace steadfast::actors {

namespace {

bool may_be_a_clients(const store::write& w) {
  return std::holds_alternative<store::acknowledge_notices>(w);
}

class client_store : public client_store_actor::base {
public:
  client_store(caf::actor_config& cfg, client_gateway_deps deps)
      : client_store_actor::base{cfg},
        deps_{std::move(deps)} {}

  const char* name() const override { return "client_store"; }
  void on_exit() override { deps_ = {}; }

  behavior_type make_behavior() override {
    return {
      [this](const boxed<workflow::submission>& m) { return delegate(deps_.store, m); },
      [](flush) {},
      [](save_commits) {},
      [this](write_requests& m) { on_writes(std::move(m)); },
      [this](const subscribe&) { delegate(deps_.store, subscribe{}); },
      [this](const show_task& m) { return delegate(deps_.reader, m); },
      [this](const find_task& m) { return delegate(deps_.reader, m); },
      [this](const list_tasks& m) { return delegate(deps_.reader, m); },
      [this](const count_tasks& m) { return delegate(deps_.reader, m); },
      [this](const find_overdue& m) { return delegate(deps_.reader, m); },
      [this](const find_notices& m) { return delegate(deps_.reader, m); },
      [this](const list_leases& m) { return delegate(deps_.reader, m); },
      [this](const list_alerts& m) { return delegate(deps_.reader, m); },
      [this](const find_alerts& m) { return delegate(deps_.reader, m); },
      [this](const list_incidents& m) { return delegate(deps_.reader, m); },
      [this](const list_schedules& m) { return delegate(deps_.reader, m); },
      [this](const find_limit_queue& m) { return delegate(deps_.reader, m); },
      [this](const find_items_undo& m) { return delegate(deps_.reader, m); },
      [this](const list_events& m) { return delegate(deps_.reader, m); },
      [this](const list_bulk_acts& m) { return delegate(deps_.reader, m); },
      [this](const list_workflows& m) { return delegate(deps_.reader, m); },
      [this](const list_late_replies& m) { return delegate(deps_.reader, m); },
      [this](const inspect_state& m) { return delegate(deps_.store, m); },
      [this](const show_stats& m) { return delegate(deps_.reader, m); },
    };
  }

private:
  void on_writes(write_requests m) {
    write_requests taken;
    for (auto& r : m.all)
      if (r.what && may_be_a_clients(*r.what))
        taken.all.push_back(std::move(r));
      else
        refuse(r.ticket);
    if (!taken.all.empty())
      delegate(deps_.store, std::move(taken));
  }

  void refuse(std::uint64_t ticket) {
    store::outcome o{store::decision{store::write_status::refused,
                                     "the certificate of this client lets it submit and look, and nothing else"}};
    tell(this, sender_of<store_client>(this),
         writes_done{{{ticket, boxed<store::outcome>{std::move(o)}, {}}}, workflow::unset});
  }

  client_gateway_deps deps_;
};

class client_front : public node_front::base {
public:
  client_front(caf::actor_config& cfg, node_offer offer, node_clock clock)
      : node_front::base{cfg},
        offer_{std::move(offer)},
        clock_{std::move(clock)} {}

  const char* name() const override { return "client_front"; }
  void on_exit() override { offer_ = {}; }

  behavior_type make_behavior() override {
    return {
      [this](const hello&) { return offer_; },
      [this](const ask_time&) {
        const auto reading = clock_.reading(this);
        return told_time{reading.now, reading.set_at};
      },
      [](const list_actors&) { return actor_page{}; },
      [](const find_actor&) -> caf::result<actor_view> {
        return caf::make_error(caf::sec::runtime_error, std::string{"actors are shown to nodes, and this is a client"});
      },
      [](const drain_node&) {},
    };
  }

private:
  node_offer offer_;
  node_clock clock_;
};

} // namespace

client_gateway spawn_client_gateway(caf::actor_system& sys, client_gateway_deps deps) {
  node_offer offer;
  offer.node = deps.node;
  const auto clock = deps.clock;
  const bool has_store = deps.has_store;
  client_gateway made;
  made.store = sys.spawn<client_store>(std::move(deps));
  if (has_store) {
    offer.store_actor = made.store;
    offer.reader = made.store;
  }
  made.front = sys.spawn<client_front>(std::move(offer), clock);
  return made;
}

} // namespace steadfast::actors
