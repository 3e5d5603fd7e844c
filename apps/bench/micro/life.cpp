#include "apps/bench/micro/life.hpp"

#include "workflow/definition/retry.hpp"

#include <fmt/format.h>

#include <stdexcept>

namespace bench {

namespace workflow = steadfast::workflow;

workflow::definition some_steps(std::size_t count) {
  workflow::definition d;
  d.name = "bench";
  for (std::size_t i = 1; i <= count; ++i) {
    auto& s = d.steps.emplace_back();
    s.name = "step-" + std::to_string(i);
    s.agent = "agent-" + std::to_string(i);
    s.compensation = workflow::compensation{};
    s.compensation->agent = s.agent;
  }
  return d;
}

workflow::definition five_steps() {
  return some_steps(5);
}

workflow::submission submission_of(std::uint64_t number) {
  constexpr std::size_t payload_size = 200;
  workflow::submission s;
  s.id = fmt::format("{:016x}-{}", workflow::mixed(number, 0, 0), number);
  s.workflow = "bench";
  s.payload = workflow::blob{"\"" + std::string(payload_size - 2, 'x') + "\""};
  return s;
}

std::vector<workflow::event> events_of_a_life(std::size_t steps) {
  constexpr std::size_t result_size = 100;
  std::vector<workflow::event> events{workflow::taken{"bench"}};
  for (std::size_t i = 0; i < steps; ++i)
    events.emplace_back(
      workflow::attempt_succeeded{{i, 1, 1}, workflow::blob{"\"" + std::string(result_size - 2, 'y') + "\""}, {}});
  return events;
}

std::vector<workflow::task> states_of_a_life(const workflow::definition& d, std::uint64_t number) {
  std::vector<workflow::task> states{workflow::make_task(submission_of(number), d, some_day)};
  states.front().number = number;
  states.front().revision = 1;
  for (const auto& e : events_of_a_life(d.steps.size())) {
    auto change = workflow::apply(states.back(), d, e, some_day);
    if (change.result != workflow::event_status::applied)
      throw std::logic_error{"a life does not go well: " + change.reason};
    states.push_back(std::move(change.next));
    states.back().revision = states.size();
  }
  return states;
}

} // namespace bench
