// A node inside a program, with agents that are C++ functions, and a client actor in the same actor system that submits
// with typed messages and gets progress as typed messages.
//
//     embedded_node FOLDER
//
// Two trips: one is booked; the hotel of the other is cancelled, because the flight is full. Progress that was not
// acknowledged is sent again to the next program that observes under the same name, also after a crash.

#include "steadfast/actors.hpp"
#include "steadfast/node.hpp"

#include <caf/actor_system.hpp>
#include <caf/scoped_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <nlohmann/json.hpp>

#include <iostream>
#include <set>
#include <string>
#include <utility>

namespace {

using namespace std::chrono_literals;

constexpr const char* observer = "travel-desk"; // the response queue that progress is kept for

steadfast::workflow_builder book_trip() {
  steadfast::workflow_builder w{"book_trip"};
  w.add(steadfast::step{"hotel", "book_hotel"}.complete_by(5s).undo_with("cancel_hotel").undo_complete_by(5s));
  w.add(steadfast::step{"flight", "book_flight"}.complete_by(5s));
  return w;
}

steadfast::agent_answer book_flight(const steadfast::agent_call& c) {
  if (c.input.find("Atlantis") != std::string::npos)
    return steadfast::failed_for_good("no seat is left");
  return steadfast::succeeded(R"({"seat": "12A"})");
}

/// Submits trips and gets their progress; ends when all of them have ended.
class traveller : public steadfast::progress_observer::base {
public:
  traveller(caf::actor_config& cfg, steadfast::task_gateway gateway)
      : steadfast::progress_observer::base{cfg},
        gateway_{std::move(gateway)} {}

  void on_exit() override { gateway_ = steadfast::task_gateway{}; }

  behavior_type make_behavior() override {
    send(gateway_, steadfast::observe_progress{observer});
    submit("trip-1", R"({"to": "Lisbon"})");
    submit("trip-2", R"({"to": "Atlantis"})");
    return {[this](const steadfast::task_progress& p) { on_progress(p); }};
  }

private:
  void submit(const std::string& id, const std::string& payload) {
    steadfast::submit_task trip;
    trip.id = id;
    trip.workflow = "book_trip";
    trip.payload = payload;
    trip.reply_to = observer;
    open_.insert(id);
    request(gateway_, 60s, trip)
      .then([this](const steadfast::submit_receipt& r) { on_receipt(r); },
            [this, id](const caf::error&) { give_up(id, "no answer: submit it again with the same id"); });
  }

  void on_receipt(const steadfast::submit_receipt& r) {
    if (r.outcome != steadfast::submit_outcome::stored)
      return give_up(r.id, r.why);
    if (!r.created)
      std::cout << r.id << ": already exists, " << r.state << '\n';
    if (r.state == "processed" || r.state == "undone" || r.state == "error")
      close(r.id);
  }

  void give_up(const std::string& id, const std::string& why) {
    std::cout << id << ": " << why << '\n';
    close(id);
  }

  void on_progress(const steadfast::task_progress& p) {
    std::cout << p.task_id << ": " << to_string(p.kind) << (p.step.empty() ? "" : " ") << p.step
              << (p.text.empty() ? "" : ", ") << p.text << '\n';
    send(gateway_, seen(p));
    if (is_end(p.kind))
      close(p.task_id);
  }

  void close(const std::string& id) {
    open_.erase(id);
    if (open_.empty())
      quit();
  }

  steadfast::task_gateway gateway_;
  std::set<std::string> open_;
};

/// In a function of its own: a node that stops waits for all actors of its system, scoped ones too.
void wait_for_traveller(steadfast::node& node) {
  caf::scoped_actor self{actor_system_of(node)};
  self->wait_for(actor_system_of(node).spawn<traveller>(gateway_of(node)));
}

int run(const std::string& folder) {
  steadfast::node node{{.name = "travel", .store = folder}};
  node.add_workflow(book_trip());
  node.add_agent("book_hotel", steadfast::quick_function{
                                 [](const steadfast::agent_call&) { return steadfast::succeeded(R"({"room": 7})"); }});
  node.add_agent("cancel_hotel",
                 steadfast::quick_function{[](const steadfast::agent_call&) { return steadfast::succeeded(); }});
  node.add_agent("book_flight", steadfast::blocking_function{book_flight});
  node.start();

  wait_for_traveller(node);
  std::cout << "the seat of trip-1: " << node.show("trip-1").at("steps").at(1).at("result").at("seat") << '\n';
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
