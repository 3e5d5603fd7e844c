#include "tests/actors/neighbour.hpp"

#include "workflow/supervision/node_card.hpp"

#include <caf/sec.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <utility>

namespace steadfast::tests {

address_book::address_book(one_node& home)
    : fronts_{std::make_shared<std::map<std::string, actors::reached_node>>()},
      dials_{std::make_shared<std::map<std::string, std::size_t>>()},
      dialer_{home.system().keep(home.system().system().spawn(
        [fronts = fronts_, dials = dials_](actors::dialer_actor::pointer) -> actors::dialer_actor::behavior_type {
          return {[fronts, dials](const actors::dial& m) -> caf::result<actors::reached_node> {
            ++(*dials)[m.address];
            const auto found = fronts->find(m.address);
            if (found == fronts->end())
              return caf::make_error(caf::sec::cannot_connect_to_node, std::string{"nobody is there"});
            return found->second;
          }};
        }))} {}

actors::node_offer open_home(one_node& home, address_book& book) {
  actors::node_offer offer{"home", home.store_actor, home.reader, home.gateway, {}};
  auto& node = home.system();
  book.add(home_address, {node.keep(actors::spawn_front(node.system(), {offer, node.clock()}))});
  return offer;
}

neighbour::neighbour(one_node& home, address_book& book, std::string its_name, neighbour_settings settings)
    : name{std::move(its_name)},
      home_{home},
      book_{book} {
  auto& node = home.system();
  auto& sys = node.system();
  auto clock = node.clock();
  clock.lead = settings.lead;
  const auto address = name + ":1";
  link = node.keep(actors::spawn_store_link(sys, {name, name}));
  std::vector<actors::agent_offer> offers;
  workflow::node_card card{name, address, {false, settings.has_scheduler, false, true}, {}};
  for (const auto& step : settings.steps) {
    card.agents.push_back("agent_of_" + step);
    offers.push_back({card.agents.back(), name, agent(step).spawn(node)});
  }
  if (settings.has_scheduler) {
    actors::scheduler_options o;
    o.name = name;
    scheduler = node.keep(actors::spawn_scheduler(sys, {link, link, offers, clock, o, {}}));
  }
  actors::front_deps shown{{name, {}, {}, {}, offers}, clock};
  if (scheduler)
    shown.schedulers = {scheduler};
  front = node.keep(actors::spawn_front(sys, std::move(shown)));
  book.add(address, {front});
  actors::membership_deps deps;
  deps.own_name = name;
  deps.join = {home_address};
  deps.dialer = book.dialer();
  deps.reader = link;
  deps.link = link;
  if (scheduler)
    deps.schedulers = {scheduler};
  deps.own_agents = offers;
  deps.clock = clock;
  membership = node.keep(actors::spawn_membership(sys, std::move(deps)));
  const auto guarded = scheduler ? actors::guarded_actor{scheduler} : actors::guarded_actor{membership};
  const actors::lease_options o{workflow::node_lease_name(name), name, workflow::note_of(card), settings.lease};
  lease = node.keep(actors::spawn_lease_actor(sys, {link, guarded, clock, o}));
}

void neighbour::crash() {
  for (auto& [agent_name, a] : agents_)
    a.die();
  book_.remove(name + ":1");
  actors::exit_now(lease, caf::exit_reason::kill);
  actors::exit_now(scheduler, caf::exit_reason::kill);
  actors::exit_now(membership, caf::exit_reason::kill);
  actors::exit_now(front, caf::exit_reason::kill);
  actors::exit_now(link, caf::exit_reason::kill);
  home_.run();
}

void neighbour::lose_store() {
  const actors::peer_changed cut{home_address, false, {}, "the cable is cut"};
  link->enqueue(nullptr, caf::make_message_id(caf::message_priority::high), caf::make_message(cut), nullptr);
}

void neighbour::find_store() {
  const actors::node_offer offer{"home", home_.store_actor, home_.reader, home_.gateway, {}};
  home_.system().tell(caf::strong_actor_ptr{}, link, actors::peer_changed{home_address, true, offer, {}});
}

} // namespace steadfast::tests
