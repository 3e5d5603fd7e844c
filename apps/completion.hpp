#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
}

namespace steadfast::apps {

/// Names of a kind that begin with a text, from the cluster: "ID" tasks, "WORKFLOW" workflows, "NODE" nodes, "NUMBER" alerts.
using name_source = std::function<std::vector<std::string>(const std::string& kind, const std::string& begin)>;

/// What may stand in place of the last word of `line`, which ends at the cursor: commands, options, names. Sorted.
std::vector<std::string> completions(const CLI::App& commands, std::string_view line, const name_source& names);

} // namespace steadfast::apps
