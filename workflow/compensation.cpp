#include "workflow/compensation.hpp"

#include <optional>

namespace steadfast::workflow {
namespace {

bool may_have_acted(const step& s) {
  switch (s.state) {
    case step_state::completed:
    case step_state::compensating:
    case step_state::unknown: return true;
    case step_state::not_started:
    case step_state::running:
    case step_state::failed:
    case step_state::skipped: return s.maybe_done; // of a person who skipped an unknown step
    case step_state::compensated:
    case step_state::compensation_failed: return false;
  }
  return false;
}

bool performs(const step& s) {
  return s.doing == attempt_action::perform;
}

bool has_dependant_in(const std::vector<bool>& set, const std::vector<std::vector<bool>>& before, std::size_t i) {
  for (std::size_t j = 0; j < set.size(); ++j) {
    if (set[j] && before[j][i])
      return true;
  }
  return false;
}

// The latest to complete goes first among those that may go; one that has not completed counts as later still.
std::optional<std::size_t> next_to_undo(const task& t, const std::vector<bool>& left,
                                        const std::vector<std::vector<bool>>& before) {
  const auto rank = [&t](std::size_t i) { return t.steps[i].completed_order - 1; };
  std::optional<std::size_t> best;
  for (std::size_t i = left.size(); i-- > 0;) {
    if (left[i] && !has_dependant_in(left, before, i) && (!best || rank(i) > rank(*best)))
      best = i;
  }
  return best;
}

} // namespace

bool needs_undo(const step& s, const step_definition& d) {
  return d.compensation.has_value() && may_have_acted(s);
}

std::vector<std::size_t> ready_to_undo(const task& t, const definition& d) {
  const auto before = ancestors(d);
  std::vector<bool> unsettled;
  for (std::size_t i = 0; i < t.steps.size(); ++i)
    unsettled.push_back(needs_undo(t.steps[i], d.steps[i]) || performs(t.steps[i]));
  std::vector<std::size_t> ready;
  for (std::size_t i = 0; i < t.steps.size(); ++i) {
    const bool idle = t.steps[i].doing == attempt_action::none;
    if (idle && needs_undo(t.steps[i], d.steps[i]) && !has_dependant_in(unsettled, before, i))
      ready.push_back(i);
  }
  return ready;
}

std::vector<std::size_t> undo_order(const task& t, const definition& d) {
  const auto before = ancestors(d);
  std::vector<bool> left;
  for (std::size_t i = 0; i < t.steps.size(); ++i)
    left.push_back(d.steps[i].compensation.has_value() && (may_have_acted(t.steps[i]) || performs(t.steps[i])));
  std::vector<std::size_t> order;
  while (const auto i = next_to_undo(t, left, before)) {
    order.push_back(*i);
    left[*i] = false;
  }
  return order;
}

std::vector<std::size_t> left_in_place(const task& t, const definition& d) {
  std::vector<std::size_t> left;
  for (std::size_t i = 0; i < t.steps.size(); ++i) {
    const auto& s = t.steps[i];
    const bool cannot = !d.steps[i].compensation && may_have_acted(s);
    if (cannot || s.state == step_state::compensation_failed)
      left.push_back(i);
  }
  return left;
}

} // namespace steadfast::workflow
