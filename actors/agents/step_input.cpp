#include "actors/agents/step_input.hpp"

#include <map>
#include <utility>

namespace steadfast::actors {

namespace {

const workflow::input_mapping& mapping_of(const workflow::step_definition& s, workflow::attempt_action action) {
  return action == workflow::attempt_action::compensate ? s.compensation->input : s.input;
}

} // namespace

step_input make_input(const workflow::task& t, const workflow::definition& d, std::size_t step,
                      workflow::attempt_action action) {
  const auto& mapping = mapping_of(d.steps[step], action);
  if (mapping.empty())
    return {std::string{t.payload.view()}, {}};
  std::map<std::string, std::string> members;
  for (const auto& member : mapping) {
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
