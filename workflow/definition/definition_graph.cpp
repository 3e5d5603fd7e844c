#include "workflow/definition/definition_graph.hpp"

#include "workflow/definition/definition.hpp"

#include <algorithm>
#include <numeric>

namespace steadfast::workflow {

definition_graph::definition_graph(const definition& d) {
  const auto n = d.steps.size();
  by_name_.resize(n);
  std::iota(by_name_.begin(), by_name_.end(), 0U);
  const auto name = [&d](std::uint32_t i) -> const std::string& { return d.steps[i].name; };
  std::stable_sort(by_name_.begin(), by_name_.end(), [&](auto a, auto b) { return name(a) < name(b); });
  by_name_.erase(std::unique(by_name_.begin(), by_name_.end(), [&](auto a, auto b) { return name(a) == name(b); }),
                 by_name_.end());

  lists asks;
  for (std::size_t i = 0; i < n; ++i) {
    const auto& s = d.steps[i];
    if (!s.after && i > 0)
      before_.all.push_back(static_cast<std::uint32_t>(i - 1));
    if (s.after)
      for (const auto& other : *s.after)
        if (const auto p = find(d, other))
          before_.all.push_back(static_cast<std::uint32_t>(*p));
    before_.begins.push_back(static_cast<std::uint32_t>(before_.all.size()));
    if (s.when)
      each_comparison(*s.when, [&](const condition& c) {
        if (const auto p = find(d, c.step))
          asks.all.push_back(static_cast<std::uint32_t>(*p));
      });
    if (const auto p = s.wait ? find(d, s.wait->at.step) : std::nullopt)
      asks.all.push_back(static_cast<std::uint32_t>(*p));
    if (s.repeat || s.expect)
      asks.all.push_back(static_cast<std::uint32_t>(i));
    asks.begins.push_back(static_cast<std::uint32_t>(asks.all.size()));
    any_starts_child_ = any_starts_child_ || starts_child(s);
  }
  after_ = turned_round(before_);
  asked_by_ = turned_round(asks);
  put_in_order();
}

std::optional<std::size_t> definition_graph::find(const definition& d, std::string_view name) const {
  const auto at = std::lower_bound(by_name_.begin(), by_name_.end(), name,
                                   [&d](std::uint32_t i, std::string_view wanted) { return d.steps[i].name < wanted; });
  return at == by_name_.end() || d.steps[*at].name != name ? std::nullopt : std::optional<std::size_t>{*at};
}

definition_graph::lists definition_graph::turned_round(const lists& l) {
  const auto n = l.begins.size() - 1;
  lists turned;
  turned.begins.assign(n + 1, 0);
  for (const auto p : l.all)
    ++turned.begins[p + 1];
  std::partial_sum(turned.begins.begin(), turned.begins.end(), turned.begins.begin());
  turned.all.resize(l.all.size());
  auto next = turned.begins;
  for (std::size_t i = 0; i < n; ++i)
    for (const auto p : l.of(i))
      turned.all[next[p]++] = static_cast<std::uint32_t>(i);
  return turned;
}

void definition_graph::put_in_order() {
  const auto n = before_.begins.size() - 1;
  std::vector<std::size_t> missing(n);
  for (std::size_t i = 0; i < n; ++i) {
    missing[i] = before(i).size();
    if (missing[i] == 0)
      in_order_.push_back(static_cast<std::uint32_t>(i));
  }
  for (std::size_t k = 0; k < in_order_.size(); ++k)
    for (const auto j : after(in_order_[k]))
      if (--missing[j] == 0)
        in_order_.push_back(j);
}

} // namespace steadfast::workflow
