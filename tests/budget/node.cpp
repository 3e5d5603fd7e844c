// A whole node, for an instruction counter: `budget_node TASKS` takes so many tasks of five steps, 200 at a time, from
// their submission to their end. tests/budget/check counts two runs, and what the second took more is the tasks' own.

#include "steadfast/node.hpp"
#include "apps/bench/programs/scratch.hpp"
#include "steadfast/actors.hpp"

#include <caf/actor_system.hpp>
#include <caf/scoped_actor.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <string>

namespace {

using namespace std::chrono_literals;

constexpr std::size_t at_a_time = 200;

steadfast::workflow_builder five_steps() {
  steadfast::workflow_builder w{"order"};
  for (int i = 1; i <= 5; ++i)
    w.add(steadfast::step{"step" + std::to_string(i), "work"}.complete_by(60s).undo_with("work").undo_complete_by(60s));
  return w;
}

void take(steadfast::node& node, std::size_t first, std::size_t count) {
  caf::scoped_actor self{actor_system_of(node)};
  const auto gateway = gateway_of(node);
  for (auto i = first; i < first + count; ++i) {
    steadfast::submit_task x;
    x.id = "order-" + std::to_string(i);
    x.workflow = "order";
    x.payload = R"({"customer":"ada","items":[{"sku":"a-1","count":2}],"note":")" + std::string(120, 'x') + "\"}";
    self->send(gateway, x);
  }
  for (std::size_t got = 0; got < count; ++got)
    self->receive(
      [](const steadfast::submit_receipt& r) {
        if (r.outcome != steadfast::submit_outcome::stored)
          throw std::runtime_error{r.why};
      },
      caf::after(60s) >> [] { throw std::runtime_error{"no receipt"}; });
  for (auto i = first; i < first + count; ++i)
    if (node.wait("order-" + std::to_string(i), 120s) != "processed")
      throw std::runtime_error{"a task has not ended well"};
}

} // namespace

int main(int argc, char** argv) {
  const auto count = argc == 2 ? std::strtoul(argv[1], nullptr, 10) : 0;
  if (count == 0) {
    std::fprintf(stderr, "usage: budget_node TASKS\n");
    return EXIT_FAILURE;
  }
  try {
    const bench::scratch folder;
    steadfast::node node{{.name = "node", .store = folder.path() / "store"}};
    node.add_workflow(five_steps());
    node.add_agent("work", steadfast::quick_function{[](const steadfast::agent_call&) {
                     return steadfast::succeeded(R"({"done": true, "by": "somebody", "at": "some place"})");
                   }});
    node.start();
    for (std::size_t first = 0; first < count; first += at_a_time)
      take(node, first, std::min(at_a_time, count - first));
    node.stop();
  } catch (const std::exception& e) {
    std::fprintf(stderr, "budget_node: %s\n", e.what());
    return EXIT_FAILURE;
  }
}
