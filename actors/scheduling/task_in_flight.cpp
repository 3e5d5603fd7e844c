#include "actors/scheduling/task_in_flight.hpp"

#include "actors/common/state_tree.hpp"

#include <algorithm>
#include <string>
#include <variant>
#include <vector>

namespace steadfast::actors {
namespace {

state_tree tree_of_attempt(const task_in_flight& t, std::size_t step) {
  const auto& s = t.task().steps[step];
  return {{"step", t.definition->steps[step].name},
          {"action", workflow::to_string(s.doing)},
          {"attempt", s.attempt},
          {"agent", s.log.back().agent},
          {"began_at", s.log.back().started_at},
          {"complete_by", s.complete_by}};
}

} // namespace

bool has_answer(const task_in_flight& t, std::size_t step) {
  const auto attempt = t.task().steps[step].attempt;
  return std::any_of(t.waiting.begin(), t.waiting.end(), [&](const workflow::event& e) {
    return std::visit(
      [&](const auto& what) {
        if constexpr (requires { what.ref; })
          return what.ref.step == step && what.ref.attempt == attempt;
        return false;
      },
      e);
  });
}

state_tree tree_of(const task_in_flight& t) {
  std::vector<std::string> attempts;
  for (std::size_t i = 0; i < t.task().steps.size(); ++i)
    if (t.task().steps[i].doing != workflow::attempt_action::none)
      attempts.push_back(tree_of_attempt(t, i).json());
  const bool is_storing = static_cast<bool>(t.written);
  return {{"id", t.task().id},
          {"state", std::string{workflow::to_string(t.task().state)}},
          {"lock_epoch", t.task().lock_epoch},
          {"waits_for", is_storing         ? "the store"
                        : t.reading        ? "being read again"
                        : attempts.empty() ? "a timer"
                                           : "agents"},
          {"events_waiting", t.waiting.size()},
          {"attempts", state_value::array(attempts)}};
}

} // namespace steadfast::actors
