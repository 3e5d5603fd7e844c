#include "tests/actors/workflows.hpp"

#include <utility>

namespace steadfast::tests {

using namespace std::chrono_literals;

workflow::step_definition step_named(const std::string& name) {
  workflow::step_definition s;
  s.name = name;
  s.agent = "agent_of_" + name;
  s.complete_by = 30s;
  s.retry = {2, 1s, 200, 60s, 0};
  s.threshold = 2;
  s.cool_off = {60s, 0};
  s.compensation.emplace();
  s.compensation->agent = s.agent;
  s.compensation->complete_by = 30s;
  s.compensation->retry = s.retry;
  return s;
}

workflow::definition pipeline(const std::string& name, std::vector<workflow::step_definition> steps) {
  workflow::definition d;
  d.name = name;
  d.steps = std::move(steps);
  return d;
}

workflow::definition trip() {
  return pipeline("trip", {step_named("hotel"), step_named("flight")});
}

} // namespace steadfast::tests
