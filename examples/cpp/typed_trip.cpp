// A workflow built in C++, whose input and result are C++ types.
//
//     typed_trip FOLDER NAME DESTINATION
//
// Run it again with the same FOLDER and NAME: it is the same task, so the trip is not booked twice. Exit codes: 0
// booked, 1 not booked, 2 wrong command line.

#include "steadfast/node.hpp"
#include "steadfast/typed_workflow.hpp"

#include <nlohmann/json.hpp>

#include <chrono>
#include <iostream>
#include <string>

namespace travel {

struct trip {
  std::string guest;
  std::string to;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(trip, guest, to)

struct seat {
  std::string number;
  int euros = 0;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(seat, number, euros)

/// The functions of the two agents of this program, instead of a hotel and an airline.
steadfast::agent_answer book_hotel(const steadfast::agent_call& c) {
  return steadfast::succeeded(nlohmann::json{{"booking", "H-" + c.task_id}}.dump());
}

steadfast::agent_answer book_flight(const steadfast::agent_call& c) {
  const auto wanted = nlohmann::json::parse(c.input);
  if (wanted.at("to") == "Atlantis")
    return steadfast::failed_for_good("nobody flies there");
  return steadfast::succeeded(nlohmann::json(seat{"12A", 180}).dump());
}

steadfast::workflow_builder definition() {
  using steadfast::input_value;
  using steadfast::step;
  using namespace std::chrono_literals;
  steadfast::workflow_builder w{"book_trip"};
  w.deadline(1h).result(input_value::of_result("flight"));
  w.add(step{"hotel", "hotel"}.input("city", input_value::of_payload("/to")).complete_by(5s).undo_with("cancel_hotel"));
  w.add(step{"flight", "flight"}
          .input("to", input_value::of_payload("/to"))
          .input("hotel", input_value::of_result("hotel", "/booking"))
          .retry({.attempts = 3, .initial = 200ms})
          .complete_by(5s));
  return w;
}

bool book(const std::string& folder, const std::string& guest, const std::string& to) {
  steadfast::node node{{.name = "travel", .store = folder}};
  node.add_workflow(definition());
  node.add_agent("hotel", steadfast::blocking_function{book_hotel});
  node.add_agent("cancel_hotel", steadfast::blocking_function{[](const auto&) { return steadfast::succeeded(); }});
  node.add_agent("flight", steadfast::blocking_function{book_flight});
  node.start();

  const steadfast::typed_workflow<trip, seat> book_trip{"book_trip"};
  const auto task = book_trip.submit(node, {guest, to}, {.id = guest});
  const auto booked = book_trip.wait(node, task.id, std::chrono::seconds{30});
  if (booked)
    std::cout << guest << " has seat " << booked->number << " for " << booked->euros << " euros\n";
  else
    std::cout << guest << " goes nowhere: " << node.show(task.id).at("cause").get<std::string>() << '\n';
  node.stop();
  return booked.has_value();
}

} // namespace travel

int main(int argc, char** argv) {
  if (argc != 4 || argv[1][0] == '-') {
    std::cerr << "usage: typed_trip FOLDER NAME DESTINATION\n";
    return 2;
  }
  try {
    return travel::book(argv[1], argv[2], argv[3]) ? 0 : 1;
  } catch (const std::exception& e) {
    std::cerr << e.what() << '\n';
    return 1;
  }
}
