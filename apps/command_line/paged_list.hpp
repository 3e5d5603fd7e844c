#pragma once

#include "apps/command_line/node_access.hpp"
#include "apps/terminal/table.hpp"

#include <nlohmann/json.hpp>

#include <functional>
#include <vector>

namespace steadfast::apps {

/// A method that answers page by page.
struct paged_list {
  const char* method;
  const char* entries;    ///< the member of its answer that has them
  const char* cursor;     ///< the parameter that takes what `next` was on the page before
  bool takes_size = true; ///< false: nodes of a release before pages answer it, too
};

/// Prints all entries: with --json a line each as they come, else a table of the rows that `row_of` makes of them, or
/// `none` if there are none. Throws client_error.
void print_all(const node_choice& choice, const paged_list& list, nlohmann::json params, table rows,
               const std::function<std::vector<cell>(const nlohmann::json&)>& row_of, const char* none);

} // namespace steadfast::apps
