#pragma once

#include "api/method.hpp"

#include <initializer_list>
#include <vector>

namespace steadfast::api {

// The table in parts: methods() joins them.

std::vector<method> methods_of_tasks();
std::vector<method> methods_of_waits();
std::vector<method> methods_of_bulk_acts();
std::vector<method> methods_of_schedules();
std::vector<method> methods_of_alerts();
std::vector<method> methods_of_workflows();
std::vector<method> methods_of_actors();
std::vector<method> methods_of_nodes();
std::vector<method> methods_of_stores();

// The schemas in parts: schemas() joins them.

std::vector<schema> schemas_of_tasks();
std::vector<schema> schemas_of_acts();
std::vector<schema> schemas_of_workflows();
std::vector<schema> schemas_of_nodes();
std::vector<schema> schemas_of_http();

// Parameters that many of them take.

/// What a task's state can be, and what a person can do to it.
std::vector<std::string> process_states();
std::vector<std::string> task_acts();
/// What is told of an actor without its state.
std::vector<field> fields_of_actor();
/// Which tasks: all given conditions must hold.
const std::vector<parameter>& task_filter();
parameter who();
parameter why();
/// Entries of a page.
parameter page_size();
/// Where a page begins, by number, and where the next one does.
parameter before_number();
field next_number();
/// The members of the parameter `schedule`, as if they were the parameters of a method.
const method& fields_of_schedule();
/// Joins both; a parameter that both have is taken from the first.
std::vector<parameter> joined(std::vector<parameter> some, const std::vector<parameter>& more);
/// The names of an enum, except for the empty one of its zero.
template <class Names>
std::vector<std::string> choices_of(const Names& names) {
  std::vector<std::string> all;
  for (const auto& n : names)
    if (!n.empty())
      all.emplace_back(n);
  return all;
}

/// The same of some of its values.
template <class Enum>
std::vector<std::string> texts_of(std::initializer_list<Enum> values) {
  std::vector<std::string> all;
  for (const auto v : values)
    all.emplace_back(to_string(v));
  return all;
}
/// The fields of both.
std::vector<field> joined(std::vector<field> some, std::vector<field> more);

} // namespace steadfast::api
