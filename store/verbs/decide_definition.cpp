#include "store/verbs/decide_definition.hpp"

#include "store/verbs/decide_lease.hpp"

#include "workflow/text/name.hpp"
#include "workflow/text/split.hpp"

#include <utility>

namespace steadfast::store {

namespace {

std::string name_of(const workflow::definition& d) {
  return "workflow `" + d.name + "` version " + std::to_string(d.version);
}

/// Tasks go on by what is stored, and so can the node.
raised_alert alert_of_change(const register_definition& w) {
  const auto& d = w.what;
  return {0,
          {},
          {changed_workflow,
           w.file + " differs from what is stored as " + name_of(d)
             + ", which its tasks follow: raise the `version` in the file, or revert the change,"
               " and restart the node",
           {},
           w.now.now},
          {changed_workflow,
           {},
           d.name,
           {},
           "the file of version " + std::to_string(d.version) + " differs from what is stored"}};
}

raised_alert alert_of_repair(const register_definition& w, const std::string& damage) {
  return {0,
          {},
          {"restored",
           name_of(w.what) + " was damaged in the store and has been stored again"
             + (w.file.empty() ? "" : ", from " + w.file) + ": check that it is as before (" + damage + ")",
           {},
           w.now.now},
          {"restored", {}, w.what.name, {}, "the definition was damaged and was stored again"}};
}

/// One for all tasks of all workflows, with the first of them.
raised_alert alert_of_damaged_definition(const set_aside_damaged& w, const std::string& why) {
  return {0,
          {},
          {damaged_workflow, "a task cannot be read, and stays as it is: " + why, {}, w.now},
          {damaged_workflow, {}, {}, {}, "the definition of a workflow is damaged"}};
}

raised_alert alert_of_task_set_aside(const set_aside_damaged& w, std::string id) {
  const workflow::alert told{"set_aside",
                             "the task was set aside because its records are damaged: " + w.why
                               + "; restore a copy of the store to get it back",
                             {},
                             w.now};
  return {w.number, std::move(id), told, workflow::signature_of(told, nullptr, nullptr)};
}

} // namespace

std::optional<decision> problem_of(const register_definition& w) {
  const auto wrong = workflow::problems(w.what);
  return wrong.empty() ? std::nullopt
                       : std::optional{turned_down(write_status::refused, workflow::joined(wrong, "; "))};
}

std::optional<decision> name_taken(const workflow::definition& made, const workflow::definition* there) {
  if (there == nullptr || *there == made)
    return std::nullopt;
  return turned_down(write_status::refused,
                     "step " + workflow::quoted(made.steps.front().name) + " makes a workflow " + made.name
                       + " version " + std::to_string(made.version)
                       + " for its items, and there is another of that name: give the step another name");
}

registered_definition decide(const register_definition& w, const known_definition& known) {
  for (const auto& x : known.nodes)
    if (const auto older = living_older_node(x, workflow::needed_for(w.what), w.now.now))
      return {turned_down(write_status::refused,
                          name_of(w.what) + " has steps that wait, end later or expect a result, or a limit, and "
                            + workflow::upgrade_first(*older, "them"))};
  if (known.there != nullptr && *known.there != w.what) {
    registered_definition d{
      turned_down(write_status::refused, "workflow " + w.what.name + " version " + std::to_string(w.what.version)
                                           + " is already registered with different content; give it a new version")};
    if (!w.file.empty() && known.of_change.empty())
      d.raised = alert_of_change(w);
    return d;
  }
  registered_definition d{applied()};
  d.is_put = d.said.created = known.there == nullptr;
  d.over = known.of_change;
  if (known.damage) {
    d.over.insert(d.over.end(), known.of_damage.begin(), known.of_damage.end());
    d.raised = alert_of_repair(w, *known.damage);
  }
  return d;
}

/// Payload, results and the client's id stay: they are evidence, and the id must not make a second task.
set_aside_task decide(const set_aside_damaged& w, const known_damage& known) {
  if (!known.is_there)
    return {no_such_task(w.number)};
  if (known.is_sound)
    return {turned_down(write_status::refused, "the task is not damaged: its records are valid")};
  if (known.of_definition) { // the task is well, and goes on when its workflow can be read again
    set_aside_task d{turned_down(write_status::refused, *known.of_definition)};
    if (!known.is_told)
      d.raised = alert_of_damaged_definition(w, *known.of_definition);
    return d;
  }
  return {applied(), true, alert_of_task_set_aside(w, known.task_id)};
}

} // namespace steadfast::store
