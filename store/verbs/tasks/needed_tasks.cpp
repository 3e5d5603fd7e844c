#include "store/verbs/tasks/needed_tasks.hpp"

#include "workflow/supervision/retention.hpp"
#include "workflow/text/name.hpp"

#include <algorithm>
#include <tuple>
#include <type_traits>
#include <variant>

namespace steadfast::store {

namespace {

void add_needs(const write& w, needed_tasks& to) {
  std::visit(
    [&to](const auto& x) {
      using write_kind = std::decay_t<decltype(x)>;
      if constexpr (std::is_same_v<write_kind, submit_task>)
        to.ids.push_back(x.what.id);
      else if constexpr (std::is_same_v<write_kind, import_task>)
        to.ids.push_back(x.what.task.id);
      else if constexpr (std::is_same_v<write_kind, act_on_schedule>)
        to.ids.push_back(workflow::task_id_of(x.name, x.now.now));
      else if constexpr (std::is_same_v<write_kind, update_task>)
        to.numbers.push_back(x.next.number);
      else if constexpr (std::is_same_v<write_kind, keep_late_reply>)
        to.numbers.push_back(x.number);
      else if constexpr (std::is_same_v<write_kind, set_aside_damaged>) {
        to.numbers.push_back(x.number);
        to.are_counted = true;
      } else if constexpr (std::is_same_v<write_kind, purge_ended>) {
        if (workflow::is_name(x.workflow))
          to.purges[x.workflow].push_back(&x);
      }
    },
    w);
}

} // namespace

needed_tasks needed_of(const write_list& batch) {
  needed_tasks all;
  for (const auto* w : batch)
    add_needs(*w, all);
  return all;
}

std::size_t looked_at_by(const std::vector<const purge_ended*>& purges, std::uint64_t there,
                         const std::vector<ended_task>& left) {
  std::uint64_t over = 0;
  for (const auto* w : purges)
    over = std::max(over, workflow::surplus(w->keep, there));
  const auto leaves = [&](const ended_task& t) {
    return std::any_of(purges.begin(), purges.end(),
                       [&](const auto* w) { return workflow::leaves_at(w->keep, t.ended_at) <= w->now; });
  };
  std::size_t count = 0;
  while (count < left.size() && (count < over || leaves(left[count])))
    ++count;
  return std::min({count + 1, left.size(), looked_at_max(purges)});
}

std::size_t looked_at_max(const std::vector<const purge_ended*>& purges) {
  std::size_t all = 0;
  for (const auto* w : purges)
    all += looked_at_max(*w);
  return all;
}

ended_position first_place(const std::vector<const purge_ended*>& purges) {
  const auto* first = *std::min_element(purges.begin(), purges.end(), [](const auto* a, const auto* b) {
    return std::tie(a->after.ended_at, a->after.number) < std::tie(b->after.ended_at, b->after.number);
  });
  return first->after;
}

} // namespace steadfast::store
