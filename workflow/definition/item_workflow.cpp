#include "workflow/definition/item_workflow.hpp"

#include "workflow/text/name.hpp"

#include <utility>

namespace steadfast::workflow {

std::string workflow_of_items(const definition& d, std::size_t i) {
  const auto& s = d.steps[i];
  if (!has_item_workflow(s))
    return s.wait->name;
  return fitted(d.name + "--" + s.name, name_size_max, '-');
}

std::uint32_t version_of_items(const definition& d, std::size_t i) {
  return has_item_workflow(d.steps[i]) ? d.version : 0;
}

definition item_workflow(const definition& d, std::size_t i) {
  definition made;
  made.name = workflow_of_items(d, i);
  made.version = d.version;
  made.deadline = d.deadline;
  made.undo_reserve = d.undo_reserve;
  made.grace = d.grace;
  made.alert_after = d.alert_after;
  made.takeovers_max = d.takeovers_max;
  made.priority = d.priority;
  auto s = d.steps[i];
  s.wait.reset();
  s.after.reset();
  s.when.reset();
  forget_input(s); // the payload of its task is made by it
  made.result.value = source{source::kind::result, s.name, {}, {}};
  made.steps.push_back(std::move(s));
  return made;
}

std::vector<definition> item_workflows(const definition& d) {
  std::vector<definition> all;
  for (std::size_t i = 0; i < d.steps.size(); ++i)
    if (has_item_workflow(d.steps[i]))
      all.push_back(item_workflow(d, i));
  return all;
}

} // namespace steadfast::workflow
