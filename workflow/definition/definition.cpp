#include "workflow/definition/definition.hpp"

#include <limits>

namespace steadfast::workflow {
namespace {

// Works with steps in any order, and ends with a cycle too: then its steps come before themselves.
std::vector<std::vector<bool>> closure(const std::vector<std::vector<std::size_t>>& before) {
  const std::size_t n = before.size();
  std::vector<std::vector<bool>> rows(n, std::vector<bool>(n));
  for (std::size_t i = 0; i < n; ++i) {
    for (const std::size_t p : before[i])
      rows[i][p] = true;
  }
  for (bool grown = true; grown;) {
    grown = false;
    for (std::size_t i = 0; i < n; ++i) {
      for (const std::size_t p : before[i]) {
        for (std::size_t j = 0; j < n; ++j) {
          if (rows[p][j] && !rows[i][j]) {
            rows[i][j] = true;
            grown = true;
          }
        }
      }
    }
  }
  return rows;
}

} // namespace

std::optional<std::size_t> find_step(const definition& d, std::string_view name) {
  for (std::size_t i = 0; i < d.steps.size(); ++i) {
    if (d.steps[i].name == name)
      return i;
  }
  return std::nullopt;
}

std::set<std::string> agents_of(const definition& d) {
  std::set<std::string> names;
  for (const auto& s : d.steps) {
    names.insert(s.agent);
    if (s.compensation)
      names.insert(s.compensation->agent);
    if (s.probe)
      names.insert(s.probe->agent);
  }
  return names;
}

std::vector<std::size_t> predecessors(const definition& d, std::size_t i) {
  std::vector<std::size_t> found;
  all_predecessors(d, i, [&](std::size_t p) {
    found.push_back(p);
    return true;
  });
  return found;
}

std::vector<std::vector<bool>> ancestors(const definition& d) {
  std::vector<std::vector<std::size_t>> before;
  before.reserve(d.steps.size());
  for (std::size_t i = 0; i < d.steps.size(); ++i)
    before.push_back(predecessors(d, i));
  return closure(before);
}

std::vector<std::string> pointers_asked(const definition& d, std::size_t i) {
  std::vector<std::string> found;
  for (const auto& s : d.steps) {
    if (!s.when || s.when->step != d.steps[i].name)
      continue;
    bool known = false;
    for (const auto& pointer : found)
      known = known || pointer == s.when->pointer;
    if (!known)
      found.push_back(s.when->pointer);
  }
  return found;
}

std::uint64_t attempts_limit(const step_definition& s) {
  const std::uint64_t of_a_phase = std::uint64_t{s.retry.attempts} * s.threshold;
  const std::uint64_t phases = std::uint64_t{s.cool_off.count} + 1;
  if (of_a_phase > std::numeric_limits<std::uint64_t>::max() / phases)
    return std::numeric_limits<std::uint64_t>::max();
  return of_a_phase * phases;
}

} // namespace steadfast::workflow
