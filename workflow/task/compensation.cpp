#include "workflow/task/compensation.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace steadfast::workflow {
namespace {

bool performs(const step& s) {
  return s.doing == attempt_action::perform || ends_later(s);
}

/// What is walked along the graph: that of the definition, or one made for the occasion.
class walk {
public:
  explicit walk(const definition& d) {
    if (!d.graph)
      made_.make_for(d);
    graph_ = d.graph ? &*d.graph : &*made_;
  }
  const definition_graph* operator->() const { return graph_; }

private:
  kept_graph made_;
  const definition_graph* graph_;
};

/// By step: one that comes after it, directly or through others, is in the set.
std::vector<bool> have_dependants_in(const std::vector<bool>& set, const definition& d) {
  const walk graph{d};
  std::vector<bool> have(set.size());
  const auto order = graph->in_order();
  for (auto i = order.rbegin(); i != order.rend(); ++i)
    for (const auto j : graph->after(*i))
      have[*i] = have[*i] || have[j] || set[j];
  return have;
}

void drop_those_after_which_come_unsettled(std::vector<std::size_t>& steps, const task& t, const definition& d) {
  if (steps.empty())
    return;
  std::vector<bool> unsettled(t.steps.size());
  const auto note = [&](std::size_t i) { unsettled[i] = !is_settled(t.steps[i], d.steps[i]); };
  t.steps.each<step_mark::open>(note);
  t.steps.each<step_mark::acted>(note);
  const auto kept = have_dependants_in(unsettled, d);
  std::erase_if(steps, [&kept](std::size_t i) { return kept[i]; });
}

/// Those that may be undone next, the latest to complete first; one that has not completed counts as later still.
class undo_line {
public:
  explicit undo_line(const task& t) : t_{t} {}

  bool empty() const { return line_.empty(); }
  void push(std::size_t i) {
    line_.emplace_back(t_.steps[i].completed_order - 1, i);
    std::push_heap(line_.begin(), line_.end());
  }
  std::size_t pop() {
    std::pop_heap(line_.begin(), line_.end());
    const auto i = line_.back().second;
    line_.pop_back();
    return i;
  }

private:
  const task& t_;
  std::vector<std::pair<std::uint32_t, std::size_t>> line_; ///< a heap
};

} // namespace

bool needs_undo(const step& s, const step_definition& d) {
  return has_undo(d) && may_have_acted(s);
}

bool is_undo_of_child_awaited(const step& s, const step_definition& d) {
  return s.state == step_state::compensating && starts_child(d) && !s.log.empty()
         && s.log.back().outcome == attempt_outcome::open;
}

bool is_settled(const step& s, const step_definition& d) {
  return !needs_undo(s, d) && !performs(s);
}

std::vector<std::size_t> ready_to_undo(const task& t, const definition& d) {
  std::vector<std::size_t> ready;
  t.steps.each<step_mark::acted>([&](std::size_t i) {
    if (t.steps[i].doing == attempt_action::none && !ends_later(t.steps[i]) && needs_undo(t.steps[i], d.steps[i]))
      ready.push_back(i);
  });
  drop_those_after_which_come_unsettled(ready, t, d);
  return ready;
}

std::vector<std::size_t> undone_too_early(const task& t, const definition& d) {
  std::vector<std::size_t> undone;
  t.steps.each<step_mark::open>([&](std::size_t i) {
    if (t.steps[i].doing == attempt_action::compensate)
      undone.push_back(i);
  });
  t.steps.each<step_mark::acted>([&](std::size_t i) {
    if (is_undo_of_child_awaited(t.steps[i], d.steps[i]))
      undone.push_back(i);
  });
  std::sort(undone.begin(), undone.end());
  auto in_time = undone;
  drop_those_after_which_come_unsettled(in_time, t, d);
  std::vector<std::size_t> early;
  std::set_difference(undone.begin(), undone.end(), in_time.begin(), in_time.end(), std::back_inserter(early));
  return early;
}

std::vector<std::size_t> undo_order(const task& t, const definition& d) {
  const walk graph{d};
  std::vector<std::size_t> missing; // successors that are to be passed first
  undo_line may_go{t};
  std::vector<std::size_t> passed;
  const auto reach = [&](std::size_t i) {
    const auto& s = t.steps[i];
    if (has_undo(d.steps[i]) && (may_have_acted(s) || performs(s) || s.state == step_state::waiting))
      may_go.push(i);
    else
      passed.push_back(i);
  };
  for (std::size_t i = 0; i < t.steps.size(); ++i)
    missing.push_back(graph->after(i).size());
  for (std::size_t i = 0; i < t.steps.size(); ++i)
    if (missing[i] == 0)
      reach(i);
  std::vector<std::size_t> order;
  while (!passed.empty() || !may_go.empty()) {
    if (passed.empty()) {
      order.push_back(may_go.pop());
      passed.push_back(order.back());
    }
    const auto i = passed.back();
    passed.pop_back();
    for (const auto p : graph->before(i))
      if (--missing[p] == 0)
        reach(p);
  }
  return order;
}

std::vector<std::size_t> left_in_place(const task& t, const definition& d) {
  std::vector<std::size_t> left;
  t.steps.each<step_mark::acted>([&](std::size_t i) {
    if (!d.steps[i].compensation && !d.steps[i].wait)
      left.push_back(i);
  });
  t.steps.each<step_mark::undo_failed>([&](std::size_t i) { left.push_back(i); });
  std::sort(left.begin(), left.end());
  return left;
}

} // namespace steadfast::workflow
