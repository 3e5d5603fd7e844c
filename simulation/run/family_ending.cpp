#include "simulation/run/family_ending.hpp"

#include "workflow/children/child.hpp"
#include "workflow/children/fan_out.hpp"
#include "workflow/text/name.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace steadfast::simulation {

using workflow::process_state;
using workflow::step_state;

namespace {

/// Not only its parent told it what to do.
bool is_touched_by_person(const workflow::task& child) {
  return std::any_of(child.acts.begin(), child.acts.end(),
                     [](const workflow::act& a) { return !a.who.starts_with("its parent"); });
}

bool is_skipped_by_person(const workflow::task& t, const std::string& step) {
  return std::any_of(t.acts.begin(), t.acts.end(),
                     [&](const workflow::act& a) { return a.what.starts_with("skip step " + workflow::quoted(step)); });
}

std::string step_of(const workflow::task& t, const workflow::definition& d, std::size_t i) {
  return t.id + ": step " + d.steps[i].name;
}

} // namespace

void family_ending::expect(bool holds, const std::string& sentence) {
  if (!holds)
    result_.violations.push_back(sentence);
}

void family_ending::check_children_of(const workflow::task& t, const workflow::definition& d) {
  for (std::size_t i = 0; i < t.steps.size(); ++i) {
    if (!workflow::starts_child(d.steps[i]) || t.steps[i].attempt == 0)
      continue;
    if (workflow::is_over_items(d.steps[i]))
      check_items(t, d, i);
    else
      check_child(t, d, i);
  }
}

/// The step has a task, which ended as the step says (P46).
void family_ending::check_child(const workflow::task& t, const workflow::definition& d, std::size_t i) {
  const auto state = t.steps[i].state;
  const auto child = store_.find(workflow::child_id(t, d, i));
  const auto name = step_of(t, d, i);
  const bool may_be_none = state == step_state::failed || state == step_state::compensated
                           || state == step_state::not_started; // stopped before it was made
  expect(child || may_be_none, name + " has no task, and is " + std::string{to_string(state)});
  if (!child)
    return;
  expect(workflow::is_child_of(*child, t, i), name + " has a task that is not its child");
  const bool is_undone = child->state == process_state::undone;
  const bool is_by_person = is_skipped_by_person(t, d.steps[i].name) || is_touched_by_person(*child);
  expect(state != step_state::completed || !is_undone || is_by_person, name + " is completed, and its task was undone");
  expect(state != step_state::compensated || is_undone || is_by_person,
         name + " was undone, and its task is " + std::string{to_string(child->state)});
  check_end_of(*child);
}

/// A step over items that completed has a task for each, in the order of its results, of which no more failed than
/// may; and what was undone has left none in place (P47).
void family_ending::check_items(const workflow::task& t, const workflow::definition& d, std::size_t i) {
  const auto& step = t.steps[i];
  const auto name = step_of(t, d, i);
  const auto counts = workflow::items_of(t, d, i).counts;
  const auto results = nlohmann::json::parse(step.result.view(), nullptr, false);
  const bool has_results =
    step.state == step_state::completed && step.log.back().outcome == workflow::attempt_outcome::succeeded;
  const bool is_undone = step.state == step_state::compensated || step.state == step_state::failed;
  std::size_t failed = 0;
  bool is_by_person = !t.acts.empty();
  for (std::uint32_t item = 1; item <= counts.size; ++item) {
    const auto child = store_.find(workflow::child_id(t, d, i, item));
    expect(child || !has_results || is_by_person, name + " is completed without the task of an item");
    if (!child)
      continue;
    expect(workflow::is_child_of(*child, t, i, item), name + " has a task of an item that is not its own");
    is_by_person = is_by_person || is_touched_by_person(*child);
    const bool is_done = child->state == process_state::processed;
    failed += is_done ? 0 : 1;
    expect(!is_undone || child->state == process_state::undone || is_by_person,
           name + " is " + std::string{to_string(step.state)} + ", and the task of an item is "
             + std::string{to_string(child->state)});
    if (has_results && !is_by_person)
      expect(results.is_array() && results.size() == counts.size && (is_done || results[item - 1].is_null()),
             name + " has a result of an item that failed, or not as many as there are items");
    check_end_of(*child);
  }
  expect(!has_results || is_by_person || failed <= counts.may_fail, name + " is completed although too many failed");
}

void family_ending::check_end_of(const workflow::task& child) {
  ++children_;
  const auto d = *store_.find_definition(child.workflow, child.version);
  ending_.check_end_of(child, d, alerted_.contains(child.number));
  check_children_of(child, d);
}

} // namespace steadfast::simulation
