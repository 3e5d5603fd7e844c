#include "tests/support/workflow/definitions.hpp"

#include <utility>

namespace steadfast::tests {

using namespace workflow;

step_definition step_named(std::string name) {
  step_definition s;
  s.name = std::move(name);
  s.agent = "svc";
  s.retry.jitter_percent = 0;
  s.compensation = compensation{};
  s.compensation->agent = "svc-undo";
  s.compensation->retry.jitter_percent = 0;
  return s;
}

step_definition sleep_named(std::string name, span length) {
  step_definition s;
  s.name = std::move(name);
  s.wait.emplace();
  s.wait->length = length;
  return s;
}

step_definition until_named(std::string name, source at) {
  step_definition s;
  s.name = std::move(name);
  s.wait.emplace();
  s.wait->what = wait_rule::kind::until;
  s.wait->at = std::move(at);
  return s;
}

definition pipeline(std::vector<step_definition> steps) {
  definition d;
  d.name = "w";
  d.steps = std::move(steps);
  return d;
}

definition two_steps() {
  return pipeline({step_named("a"), step_named("b")});
}

void ask_a_person_at_once(step_definition& s) {
  s.retry.attempts = 1;
  s.threshold = 1;
  s.cool_off.count = 0;
  s.exhausted = on_exhausted::error;
}

submission submission_of(const definition& d, std::string id) {
  submission s;
  s.id = std::move(id);
  s.workflow = d.name;
  s.payload = blob{R"({"n":1})"};
  s.reply_to = "me";
  return s;
}

} // namespace steadfast::tests
