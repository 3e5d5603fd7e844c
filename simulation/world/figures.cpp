#include "simulation/world/figures.hpp"

#include <algorithm>
#include <tuple>

namespace steadfast::simulation {

namespace {

workflow::span to_three_digits(workflow::span s) {
  workflow::span::rep unit = 1;
  while (s.count() / unit >= 1000)
    unit *= 10;
  return workflow::span{(s.count() + unit / 2) / unit * unit};
}

auto shortness(const cause_figures& c) {
  return std::tuple{c.story.empty(), c.story_attempts, c.story_seed};
}

} // namespace

void durations::add(workflow::span length, std::uint64_t times) {
  all_[to_three_digits(std::max(length, workflow::span{0}))] += times;
  count_ += times;
}

void durations::add(const durations& more) {
  for (const auto& [length, times] : more.all_)
    add(length, times);
}

workflow::span durations::percentile(std::uint32_t percent) const {
  std::uint64_t seen = 0;
  for (const auto& [length, times] : all_) {
    seen += times;
    if (seen * 100 >= count_ * percent && seen > 0)
      return length;
  }
  return workflow::span{0};
}

void add(step_figures& to, const step_figures& more) {
  to.begun += more.begun;
  to.calls += more.calls;
  to.calls_max = std::max(to.calls_max, more.calls_max);
  to.answered += more.answered;
  to.failed_for_now += more.failed_for_now;
  to.failed_for_good += more.failed_for_good;
  to.undone += more.undone;
  to.undo_failed += more.undo_failed;
  to.stayed += more.stayed;
  to.doubled += more.doubled;
  to.missing += more.missing;
  to.left += more.left;
}

void add(cause_figures& to, const cause_figures& more) {
  const auto tasks = to.tasks + more.tasks;
  if (shortness(more) < shortness(to))
    to = more;
  to.tasks = tasks;
}

} // namespace steadfast::simulation
