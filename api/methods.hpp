#pragma once

#include "api/method.hpp"

#include <vector>

namespace steadfast::api {

// The table in parts: methods() joins them.

std::vector<method> methods_of_tasks();
std::vector<method> methods_of_bulk_acts();
std::vector<method> methods_of_alerts();
std::vector<method> methods_of_workflows();
std::vector<method> methods_of_actors();
std::vector<method> methods_of_nodes();
std::vector<method> methods_of_stores();

// What many of them take.

/// Which tasks: all that is given must hold.
const std::vector<parameter>& task_filter();
parameter who();
parameter why();
/// Entries of a page.
parameter page_size();
/// What both have stands once, as the first says it.
std::vector<parameter> joined(std::vector<parameter> some, const std::vector<parameter>& more);
/// The names of an enum, but for the empty one of its zero.
template <class Names>
std::vector<std::string> choices_of(const Names& names) {
  std::vector<std::string> all;
  for (const auto& n : names)
    if (!n.empty())
      all.emplace_back(n);
  return all;
}

} // namespace steadfast::api
