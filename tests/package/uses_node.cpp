// What a program gets from a node inside it: a workflow of its own, mistakes told before anything runs, and a task run
// to its end.

#include "steadfast/node.hpp"
#include "steadfast/typed_workflow.hpp"

#include <chrono>
#include <iostream>

namespace {

steadfast::agent_answer say_twice(const steadfast::agent_call& c) {
  return steadfast::succeeded("[" + c.input + "," + c.input + "]");
}

bool tells_mistakes() {
  steadfast::workflow_builder w{"echo"};
  w.add(steadfast::step{"say", "echo"}.after({"hear"}));
  for (const auto& problem : w.problems())
    std::cout << problem << "\n";
  return w.problems().size() == 1;
}

bool runs_a_task(const char* folder) {
  steadfast::workflow_builder w{"echo"};
  w.add(steadfast::step{"say", "echo"}.after({}).complete_by(std::chrono::seconds{20}));
  w.result(steadfast::input_value::of_result("say"));
  steadfast::node node{{.name = "mine", .store = folder}};
  node.add_workflow(w);
  node.add_agent("echo", steadfast::blocking_function{say_twice});
  node.start();
  const steadfast::typed_workflow<int, std::vector<int>> echo{"echo"};
  const auto task = echo.submit(node, 7);
  const auto said = echo.wait(node, task.id, std::chrono::seconds{60});
  node.stop();
  return said == std::vector<int>{7, 7};
}

} // namespace

int main(int, char** arguments) {
  return tells_mistakes() && runs_a_task(arguments[1]) ? 0 : 1;
}
