#pragma once

#include "actors/protocol/boxed.hpp"
#include "store/contract/state_store.hpp"
#include "workflow/definition/definition.hpp"

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace steadfast::actors {

/// Definitions never change, so they are read once and shared by every message that mentions them.
class known_definitions {
public:
  void add(const boxed<workflow::definition>& d) { known_.try_emplace({d->name, d->version}, d); }

  /// Empty when the definition is not known here.
  boxed<workflow::definition> find(const workflow::task& t) const {
    const auto found = known_.find({t.workflow, t.version});
    return found == known_.end() ? boxed<workflow::definition>{} : found->second;
  }

  /// Reads it from the store if it is not known; empty if the store has none.
  boxed<workflow::definition> find(const workflow::task& t, const store::state_store& store) {
    auto known = find(t);
    if (known)
      return known;
    auto read = store.find_definition(t.workflow, t.version);
    if (!read)
      return {};
    boxed<workflow::definition> made{std::move(*read)};
    add(made);
    return made;
  }

  /// The definitions of the tasks, each once.
  std::vector<boxed<workflow::definition>> of(const std::vector<workflow::task>& tasks,
                                              const store::state_store& store) {
    std::map<const workflow::definition*, boxed<workflow::definition>> used;
    for (const auto& t : tasks)
      if (auto d = find(t, store))
        used.try_emplace(d.share().get(), d);
    std::vector<boxed<workflow::definition>> out;
    out.reserve(used.size());
    for (auto& [pointer, d] : used)
      out.push_back(d);
    return out;
  }

private:
  std::map<std::pair<std::string, std::uint32_t>, boxed<workflow::definition>> known_;
};

} // namespace steadfast::actors
