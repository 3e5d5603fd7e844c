#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
}

namespace steadfast::apps {

/// Names of a kind that begin with a text, from the cluster: "ID" tasks, "WORKFLOW" workflows, "NODE" nodes, "NUMBER"
/// alerts.
using name_source = std::function<std::vector<std::string>(const std::string& kind, const std::string& begin)>;

struct candidate {
  std::string text; ///< in place of the last word
  std::string help; ///< what it is, for shells that show it

  friend bool operator==(const candidate&, const candidate&) = default;
};

struct completion {
  std::vector<candidate> all; ///< sorted by their texts
  bool is_file = false;       ///< file names are possible
};

/// Completions of the last word of `line`, which ends at the cursor: commands, options, their values, names.
completion complete(const CLI::App& commands, std::string_view line, const name_source& names);

/// Only the texts.
std::vector<std::string> completions(const CLI::App& commands, std::string_view line, const name_source& names);

/// Completions of the last condition of a `--where`, whose keys are these, with whatever comes before it.
std::vector<std::string> complete_conditions(const std::string& begin, const std::vector<std::string>& keys,
                                             const name_source& names);

} // namespace steadfast::apps
