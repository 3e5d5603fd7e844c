#include "api/methods.hpp"

#include "api/names.hpp"
#include "workflow/task/task.hpp"

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <utility>

namespace steadfast::api {

parameter who() {
  return text("who", "who does it; kept with what was done").required().up_to_bytes(workflow::note_size_max);
}

parameter why() {
  return text("why", "the reason; kept with what was done").up_to_bytes(workflow::note_size_max);
}

parameter page_size() {
  return number("max", "the most entries of a page").between(1, 1000).otherwise(100);
}

parameter before_number() {
  return number("before", "the value of `next` on the page before").otherwise(0);
}

field next_number() {
  return {"next", kind::number,
          "pass it as `before` to get the next page; null: this is the last page. A page may be empty and not the last",
          false, true};
}

std::vector<parameter> joined(std::vector<parameter> some, const std::vector<parameter>& more) {
  for (const auto& p : more)
    if (std::none_of(some.begin(), some.end(), [&](const parameter& s) { return s.name == p.name; }))
      some.push_back(p);
  return some;
}

const std::vector<method>& methods() {
  static const auto all = [] {
    std::vector<method> table;
    for (auto* const part :
         {methods_of_tasks, methods_of_waits, methods_of_bulk_acts, methods_of_schedules, methods_of_alerts,
          methods_of_workflows, methods_of_actors, methods_of_nodes, methods_of_stores}) {
      auto some = part();
      std::move(some.begin(), some.end(), std::back_inserter(table));
    }
    return table;
  }();
  return all;
}

const method& method_of(std::string_view name) {
  const auto& all = methods();
  const auto found = std::find_if(all.begin(), all.end(), [&](const method& m) { return m.name == name; });
  if (found == all.end())
    throw std::out_of_range{"there is no method `" + std::string{name} + "`"};
  return *found;
}

} // namespace steadfast::api
