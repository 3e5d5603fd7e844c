#pragma once

#include "store/verbs/tasks/waiting_line.hpp"

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace steadfast::store::test {

/// Tasks that wait, as the owner of a partition may know them.
class waiting_in_memory : public waiting_tasks {
public:
  std::set<waiting_place> all;
  workflow::instant due = workflow::never;

  void add(std::uint8_t priority, const std::string& workflow, std::uint64_t number) {
    all.insert({priority, workflow_tag(workflow), 0, number});
  }
  void add_to_group(const std::string& workflow, std::uint64_t group, std::uint64_t number) {
    all.insert({5, workflow_tag(workflow), group, number});
  }
  void remove(std::uint64_t number) {
    std::erase_if(all, [number](const waiting_place& p) { return p.number == number; });
  }

  std::uint64_t count() const override { return all.size(); }
  workflow::instant next_due() const override { return due; }
  std::optional<waiting_place> first(const waiting_place& from) const override {
    const auto found = all.lower_bound(from);
    return found == all.end() ? std::nullopt : std::optional{*found};
  }
  std::vector<std::uint64_t> numbers(const waiting_place& from, std::size_t max) const override {
    std::vector<std::uint64_t> found;
    for (auto i = all.lower_bound(from); i != all.end() && found.size() < max; ++i)
      if (i->priority == from.priority && i->tag == from.tag && i->group == from.group)
        found.push_back(i->number);
    return found;
  }
};

} // namespace steadfast::store::test
