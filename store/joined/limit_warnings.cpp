#include "store/joined/limit_warnings.hpp"

#include "workflow/task/partition.hpp"
#include "workflow/text/name.hpp"

#include <map>

namespace steadfast::store {

namespace {

using definitions_by_name = std::map<std::string, workflow::definition>;

definitions_by_name newest_of(const state_store& s) {
  constexpr std::size_t steps_at_once = 1000;
  definitions_by_name newest;
  state_store::definition_place after;
  for (auto some = s.definitions(after, steps_at_once); !some.empty(); some = s.definitions(after, steps_at_once)) {
    after = {some.back().name, some.back().version};
    for (auto& d : some) // ascending
      newest.insert_or_assign(d.name, std::move(d));
  }
  return newest;
}

/// Null: it has no limit, or is not there.
const workflow::definition* limited(const definitions_by_name& all, const std::string& name) {
  const auto found = all.find(name);
  return found != all.end() && found->second.limit ? &found->second : nullptr;
}

bool fits(const workflow::schedule& s, const workflow::definition& d) {
  return workflow::partition_key(workflow::limit_key_of(d, s.payload.view()).text) == s.name;
}

std::string sentence(const std::string& who, const workflow::definition& d, const std::string& ids,
                     std::size_t partitions) {
  return who + " starts tasks of workflow " + workflow::quoted(d.name) + ", which are limited by payload:"
         + d.limit->pointer + ": since the store has " + std::to_string(partitions) + " partitions, " + ids
         + " must be the same as all before the first `/` of that key; else the task is refused";
}

} // namespace

std::vector<std::string> limit_warnings(const state_store& s, std::size_t partitions, const std::string& about) {
  std::vector<std::string> found;
  if (partitions < 2)
    return found;
  const auto is_meant = [&](const std::string& a, const std::string& b) {
    return about.empty() || about == a || about == b;
  };
  const auto all = newest_of(s);
  for (const auto& [name, d] : all)
    for (const auto& step : d.steps)
      if (const auto* child = workflow::starts_child(step) ? limited(all, step.wait->name) : nullptr;
          child != nullptr && is_meant(name, step.wait->name))
        found.push_back(sentence("workflow " + workflow::quoted(name) + ": step " + workflow::quoted(step.name), *child,
                                 "all before the first `/` of the id of the first task", partitions));
  constexpr std::size_t schedules_at_once = 1000;
  std::string after;
  for (auto some = s.schedules(after, schedules_at_once); !some.empty(); some = s.schedules(after, schedules_at_once))
    for (const auto& x : some) {
      after = x.what.name;
      if (const auto* made = limited(all, x.what.workflow);
          made != nullptr && !fits(x.what, *made) && is_meant(x.what.name, x.what.workflow))
        found.push_back(
          sentence("schedule " + workflow::quoted(x.what.name), *made, "the name of the schedule", partitions));
    }
  return found;
}

} // namespace steadfast::store
