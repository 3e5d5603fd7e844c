#include "apps/command_line/paged_list.hpp"

#include "apps/terminal/terminal.hpp"

#include <iostream>

namespace steadfast::apps {

void print_all(const node_choice& choice, const paged_list& list, nlohmann::json params, table rows,
               const std::function<std::vector<cell>(const nlohmann::json&)>& row_of, const char* none) {
  auto node = connect(choice);
  if (list.takes_size)
    params["max"] = page_size;
  for (bool more = true; more;) {
    const auto page = node.call(list.method, params);
    for (const auto& entry : page.at(list.entries))
      if (choice.json)
        print_json(entry);
      else
        rows.add(row_of(entry));
    const auto next = page.value("next", nlohmann::json{}); // a node of a release before pages has none
    more = !next.is_null();
    params[list.cursor] = next;
  }
  if (!choice.json)
    std::cout << (rows.empty() ? none : rows.text(standard_output()));
}

} // namespace steadfast::apps
