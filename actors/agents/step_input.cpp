#include "actors/agents/step_input.hpp"

#include <map>
#include <utility>

namespace steadfast::actors {

namespace {

struct input_rule {
  const workflow::input_mapping& members;
  bool is_payload; ///< as it is
};

input_rule rule_of(const workflow::step_definition& s, workflow::attempt_action action) {
  const auto of = [](const auto& x) { return input_rule{x.input, workflow::is_without_input(x)}; };
  return action == workflow::attempt_action::compensate ? of(*s.compensation) : of(s);
}

} // namespace

step_input make_input(const workflow::task& t, const workflow::definition& d, std::size_t step,
                      workflow::attempt_action action) {
  const auto rule = rule_of(d.steps[step], action);
  if (rule.is_payload)
    return {std::string{t.payload.view()}, {}};
  std::map<std::string, std::string> members;
  for (const auto& member : rule.members) {
    if (member.optional && workflow::is_of_skipped(member.value, t, d))
      continue;
    auto found = workflow::value_of(member.value, t, d);
    if (found.value) {
      members[member.name] = *std::move(found.value);
      continue;
    }
    if (member.optional)
      continue;
    // The result that an undo would name may be unknown: the service knows the step by its key.
    if (action != workflow::attempt_action::compensate)
      return {{}, "input `" + member.name + "`: " + found.problem};
    members[member.name] = "null";
  }
  return {workflow::object_of(members), {}};
}

} // namespace steadfast::actors
