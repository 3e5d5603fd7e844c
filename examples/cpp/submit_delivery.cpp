// A client in a process of its own: submits a delivery to a node of this host and waits for its end.
//
//     submit_delivery SOCKET ID CUSTOMER FROM TO
//
// Run it again with the same ID: it is the same task, so nothing happens twice. Exit codes: 0 processed, 1 ended
// otherwise or not within half a minute, 2 wrong command line, 3 no answer in time, 4 the node said no or is not there.

#include "steadfast/client.hpp"

#include <nlohmann/json.hpp>

#include <chrono>
#include <iostream>

namespace {

int deliver(char** arguments) {
  steadfast::client node{arguments[1]};
  const nlohmann::json delivery{
    {"customer", arguments[3]}, {"from", arguments[4]}, {"to", arguments[5]}, {"weight_kg", 2.5}};
  steadfast::submit_options how;
  how.id = arguments[2];
  const auto task = node.submit("drone_delivery", delivery.dump(), how);
  std::cout << task.id << (task.created ? " is accepted\n" : " already exists\n");

  const auto state = node.wait(task.id, std::chrono::seconds{30});
  std::cout << task.id << " is " << state << '\n';
  const auto shown = node.show(task.id);
  for (const auto& step : shown.at("steps"))
    std::cout << "  " << step.at("name").get<std::string>() << ": " << step.at("state").get<std::string>() << '\n';
  return state == "processed" ? 0 : 1;
}

} // namespace

int main(int argc, char** argv) {
  if (argc != 6) {
    std::cerr << "usage: submit_delivery SOCKET ID CUSTOMER FROM TO\n";
    return 2;
  }
  try {
    return deliver(argv);
  } catch (const steadfast::client_error& e) {
    std::cerr << e.what() << '\n';
    return e.why() == steadfast::client_error::kind::timed_out ? 3 : 4;
  }
}
