#pragma once

#include "api/names.hpp"
#include "steadfast/client.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstddef>

namespace steadfast::apps {

inline constexpr std::size_t task_page_size = 500;

/// Passes every matching task, newest first or as `params` say, to `use`, at most `limit`. Returns where to continue;
/// null: there are no more.
template <class Use>
nlohmann::json for_each_task(client& node, nlohmann::json params, std::size_t limit, Use use) {
  for (std::size_t n = 0;;) {
    params["max"] = std::min(task_page_size, limit - n);
    const auto page = node.call(api::task_list, params);
    for (const auto& t : page.at("tasks"))
      use(t);
    n += page.at("tasks").size();
    if (page.at("next").is_null() || n >= limit)
      return page.at("next");
    params["before"] = page.at("next");
  }
}

} // namespace steadfast::apps
