#include "store/contract/sent_update.hpp"

#include <algorithm>
#include <utility>

namespace steadfast::store {

namespace {

constexpr auto stretch = workflow::step_list::stretch_size;

} // namespace

bool is_sent_in_part(const update_task& u) {
  return u.next.steps.size() > sent_whole_max && u.steps_before.size() == u.next.steps.size();
}

update_task in_part(const update_task& u) {
  auto part = u;
  part.next.steps = {};
  part.steps_in_all = static_cast<std::uint32_t>(u.next.steps.size());
  each_changed_stretch(u.steps_before, u.next.steps, [&](std::size_t first) {
    part.changed.push_back({static_cast<std::uint32_t>(first), u.next.steps.stretch_of(first)});
  });
  return part;
}

std::optional<update_task> made_whole(const update_task& part, const workflow::step_list& steps) {
  const std::size_t count = part.steps_in_all;
  if (steps.size() != count || !part.next.steps.empty())
    return std::nullopt;
  auto whole = part;
  whole.steps_in_all = 0;
  whole.changed.clear();
  whole.next.steps = steps;
  for (const auto& c : part.changed) {
    const bool fits = c.first < count && c.first % stretch == 0 && c.steps.size() == std::min(stretch, count - c.first);
    if (!fits)
      return std::nullopt;
    whole.next.steps.put_stretch(c.first, c.steps);
  }
  whole.next.steps.settle();
  return whole;
}

} // namespace steadfast::store
