// A node inside a program, with agents that are C++ functions, and a client actor in the same actor system that submits
// with typed messages and is told of progress by typed messages.
//
//     embedded_node FOLDER
//
// Two trips: one is booked, and of the other the hotel is cancelled, because the flight is full. Progress that was not
// acknowledged is told again to the next program that observes under the same name, also after a crash.

#include "actors/type_ids.hpp"
#include "runtime/node.hpp"

#include <caf/actor_system.hpp>
#include <caf/scoped_actor.hpp>
#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <iostream>
#include <memory>
#include <set>
#include <string>
#include <utility>

namespace {

using namespace std::chrono_literals;
namespace actors = steadfast::actors;
namespace workflow = steadfast::workflow;

constexpr const char* desk = "travel-desk"; // the response queue that progress is kept for

workflow::definition book_trip() {
  workflow::step_definition hotel;
  hotel.name = "hotel";
  hotel.agent = "book_hotel";
  hotel.complete_by = 5s;
  hotel.compensation = workflow::compensation{"cancel_hotel", {}, 5s, {}};

  workflow::step_definition flight;
  flight.name = "flight";
  flight.agent = "book_flight";
  flight.complete_by = 5s;

  workflow::definition d;
  d.name = "book_trip";
  d.steps = {hotel, flight};
  return d;
}

actors::answer book_flight(const actors::call& c) {
  if (c.input.find("Atlantis") != std::string::npos)
    return actors::failed_for_good("no seat is left");
  return actors::succeeded(R"({"seat": "12A"})");
}

bool has_ended(workflow::process_state s) {
  return s == workflow::process_state::processed || s == workflow::process_state::undone
         || s == workflow::process_state::error;
}

/// Submits trips and hears what becomes of them; ends when all of them have ended.
class traveller {
public:
  traveller(actors::observer_actor::pointer self, actors::gateway_actor node) : self_{self}, node_{std::move(node)} {
    actors::tell(self_, node_, actors::observe{desk});
    submit("trip-1", R"({"to": "Lisbon"})");
    submit("trip-2", R"({"to": "Atlantis"})");
  }

  actors::observer_actor::behavior_type behavior() {
    return {[this](const actors::progress& p) { on_progress(p); }};
  }

private:
  void submit(const std::string& id, const std::string& payload) {
    workflow::submission trip;
    trip.id = id;
    trip.workflow = "book_trip";
    trip.payload = workflow::blob{payload};
    trip.reply_to = desk;
    open_.insert(id);
    actors::ask(self_, node_, 5s, actors::boxed<workflow::submission>{std::move(trip)})
      .then([this, id](const actors::receipt& r) { on_receipt(id, r); },
            [this, id](const caf::error&) { give_up(id, "no answer: submit it again with the same id"); });
  }

  void on_receipt(const std::string& id, const actors::receipt& r) {
    if (r.result != steadfast::store::verdict::applied)
      give_up(id, r.why);
    else if (!r.created)
      std::cout << id << ": was there already, " << to_string(r.state) << '\n';
    if (has_ended(r.state))
      close(id);
  }

  void give_up(const std::string& id, const std::string& why) {
    std::cout << id << ": " << why << '\n';
    close(id);
  }

  void on_progress(const actors::progress& p) {
    const auto kind = static_cast<workflow::notice_kind>(p.kind);
    std::cout << p.task_id << ": " << to_string(kind) << (p.step.empty() ? "" : " ") << p.step
              << (p.text.empty() ? "" : ", ") << p.text << '\n';
    actors::tell(self_, node_, actors::progress_seen{p.observer, p.task_number, p.sequence});
    if (kind == workflow::notice_kind::processed || kind == workflow::notice_kind::undone
        || kind == workflow::notice_kind::error)
      close(p.task_id);
  }

  void close(const std::string& id) {
    open_.erase(id);
    if (open_.empty())
      self_->quit();
  }

  actors::observer_actor::pointer self_;
  actors::gateway_actor node_;
  std::set<std::string> open_;
};

struct traveller_state {
  traveller_state() = default;
  std::unique_ptr<traveller> is;
};

actors::observer_actor::behavior_type travel(actors::observer_actor::stateful_pointer<traveller_state> self,
                                             actors::gateway_actor node) {
  self->state.is = std::make_unique<traveller>(self, std::move(node));
  return self->state.is->behavior();
}

/// In a function of its own: a node that stops waits for all actors of its system, scoped ones too.
void wait_for_traveller(steadfast::node& node) {
  caf::scoped_actor self{node.system()};
  self->wait_for(node.system().spawn(travel, node.gateway()));
}

int run(const std::string& folder) {
  steadfast::node_options options;
  options.name = "travel";
  options.store.path = folder;
  options.socket.clear(); // no control channel: nobody but this program uses the node
  options.log.level = "warning";

  steadfast::node node{options};
  node.add_workflow(book_trip());
  node.add_agent("book_hotel",
                 actors::quick_function{[](const actors::call&) { return actors::succeeded(R"({"room": 7})"); }});
  node.add_agent("cancel_hotel", actors::quick_function{[](const actors::call&) { return actors::succeeded(); }});
  node.add_agent("book_flight", actors::quick_function{book_flight});
  node.start();

  wait_for_traveller(node);
  node.stop();
  return 0;
}

} // namespace

int main(int argc, char** argv) {
  if (argc != 2 || argv[1][0] == '-') {
    std::cerr << "usage: embedded_node FOLDER\n";
    return 2;
  }
  try {
    return run(argv[1]);
  } catch (const std::exception& e) {
    std::cerr << e.what() << '\n';
    return 1;
  }
}
