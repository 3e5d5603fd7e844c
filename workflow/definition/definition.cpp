#include "workflow/definition/definition.hpp"

#include <algorithm>
#include <limits>

namespace steadfast::workflow {
ancestry::ancestry(const definition_graph& g, std::size_t steps)
    : row_size_{(steps + 63) / 64},
      words_(steps * row_size_) {
  std::vector<bool> is_done(steps);
  for (const auto i : g.in_order()) {
    for (const auto p : g.before(i))
      add(i, p);
    is_done[i] = true;
  }
  for (std::size_t i = 0; i < steps; ++i)
    if (!is_done[i]) // in a cycle, or after one
      add_all_before(i, g);
}

/// All that comes before `p`, and that itself.
void ancestry::add(std::size_t i, std::size_t p) {
  for (std::size_t w = 0; w < row_size_; ++w)
    words_[i * row_size_ + w] |= words_[p * row_size_ + w];
  words_[i * row_size_ + p / 64] |= std::uint64_t{1} << p % 64;
}

void ancestry::add_all_before(std::size_t i, const definition_graph& g) {
  std::vector<std::size_t> left{i};
  while (!left.empty()) {
    const auto j = left.back();
    left.pop_back();
    for (const auto p : g.before(j)) {
      if ((*this)[i][p])
        continue;
      words_[i * row_size_ + p / 64] |= std::uint64_t{1} << p % 64;
      left.push_back(p);
    }
  }
}

ancestry ancestors(const definition& d) {
  return ancestry{definition_graph{d}, d.steps.size()};
}

std::optional<std::size_t> find_step(const definition& d, std::string_view name) {
  if (d.graph)
    return d.graph->find(d, name);
  for (std::size_t i = 0; i < d.steps.size(); ++i) {
    if (d.steps[i].name == name)
      return i;
  }
  return std::nullopt;
}

std::set<std::string> agents_of(const definition& d) {
  std::set<std::string> names;
  for (const auto& s : d.steps) {
    if (!s.agent.empty())
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

std::string_view name_of_comparison(condition::test t) {
  switch (t) {
    case condition::test::equals: return "equals";
    case condition::test::differs: return "differs";
    case condition::test::above: return "above";
    case condition::test::at_least: return "at_least";
    case condition::test::below: return "below";
    case condition::test::at_most: return "at_most";
    default: return {};
  }
}

std::vector<std::string> pointers_asked(const definition& d, std::size_t i) {
  std::vector<std::string> found;
  const auto add = [&](const std::string& of_step, const std::string& pointer) {
    if (of_step == d.steps[i].name && std::find(found.begin(), found.end(), pointer) == found.end())
      found.push_back(pointer);
  };
  const auto add_those_of = [&](const step_definition& s) {
    if (s.when)
      each_comparison(*s.when, [&](const condition& c) { add(c.step, c.pointer); });
    if (s.repeat && &s == &d.steps[i])
      each_comparison(s.repeat->until, [&](const condition& c) { add(s.name, c.pointer); });
    if (s.expect && &s == &d.steps[i])
      each_comparison(s.expect->is, [&](const condition& c) { add(s.name, c.pointer); });
    if (s.wait && !is_over_items(s)) // an array may be large: it is read when the step begins
      add(s.wait->at.step, s.wait->at.pointer);
  };
  if (d.graph) {
    for (const auto j : d.graph->asked_by(i))
      add_those_of(d.steps[j]);
    return found;
  }
  for (const auto& s : d.steps)
    add_those_of(s);
  return found;
}

namespace {

/// A node of a release before cannot read it.
bool is_of_later_release(const condition& c) {
  return c.is > condition::test::absent || c.step == payload_word;
}

} // namespace

knowledge needed_for(const definition& d) {
  auto most = !d.limit ? knowledge::none : d.limit->per > span{0} ? knowledge::rates : knowledge::limits;
  for (const auto& s : d.steps) {
    if (s.wait)
      most = std::max(most, knowledge::waits);
    if (s.later || (s.wait && is_until_told(*s.wait)) || (s.when && is_of_later_release(*s.when)))
      most = std::max(most, knowledge::events);
    if (s.repeat)
      most = std::max(most, knowledge::for_each);
    if (s.expect)
      most = std::max(most, knowledge::expectations);
    if (s.has_empty_input || (s.compensation && s.compensation->has_empty_input))
      most = knowledge::empty_inputs;
    if (starts_child(s))
      most = std::max(most, is_over_items(s) ? knowledge::for_each : knowledge::children);
  }
  return most;
}

std::uint64_t attempts_limit(const step_definition& s) {
  const std::uint64_t of_a_phase = std::uint64_t{s.retry.attempts} * s.threshold;
  const std::uint64_t calls = s.repeat ? std::max(s.repeat->at_most, 1U) : 1; // also of one that is not well
  const std::uint64_t phases = (std::uint64_t{s.cool_off.count} + 1) * calls;
  if (of_a_phase > std::numeric_limits<std::uint64_t>::max() / phases)
    return std::numeric_limits<std::uint64_t>::max();
  return of_a_phase * phases;
}

} // namespace steadfast::workflow
