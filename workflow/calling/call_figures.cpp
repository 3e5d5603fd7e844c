#include "workflow/calling/call_figures.hpp"

#include <algorithm>
#include <bit>

namespace steadfast::workflow {

namespace {

constexpr std::uint64_t exact_below = 4; ///< milliseconds; from there on four classes for each doubling

} // namespace

call_figures::minute_number call_figures::minute_of(instant t) {
  return std::chrono::floor<std::chrono::minutes>(t).time_since_epoch().count();
}

std::size_t call_figures::class_of(span took) {
  const auto ms = static_cast<std::uint64_t>(std::max<std::int64_t>(took.count(), 0));
  if (ms < exact_below)
    return ms;
  const auto doublings = static_cast<std::size_t>(std::bit_width(ms)) - 2;
  const auto quarter = static_cast<std::size_t>(ms >> (doublings - 1)) & 3U;
  return std::min(4 * doublings + quarter, classes - 1);
}

span call_figures::longest_of(std::size_t its_class) {
  if (its_class < exact_below)
    return span{its_class};
  const auto doublings = its_class / 4;
  const auto next = (4 + its_class % 4 + 1) << (doublings - 1);
  return span{next - 1};
}

void call_figures::count(call_end how, span took, instant now) {
  const auto number = minute_of(now);
  auto& m = minutes_.at(static_cast<std::uint64_t>(number) % minutes_kept);
  if (m.number != number) {
    m = {};
    m.number = number;
  }
  ++m.ends.at(static_cast<std::size_t>(how) - 1);
  ++m.took.at(class_of(took));
}

call_figures::sum call_figures::of_late(instant now) const {
  const auto number = minute_of(now);
  sum s;
  std::array<std::uint64_t, classes> took{};
  for (const auto& m : minutes_) {
    if (m.number > number || m.number + static_cast<minute_number>(minutes_kept) <= number)
      continue;
    s.succeeded += m.ends[0];
    s.refused += m.ends[1];
    s.failed += m.ends[2];
    for (std::size_t i = 0; i < classes; ++i)
      took.at(i) += m.took.at(i);
  }
  const auto calls = s.succeeded + s.refused + s.failed;
  const auto within = [&](std::uint64_t percent) {
    const auto wanted = (calls * percent + 99) / 100;
    std::uint64_t passed = 0;
    for (std::size_t i = 0; i < classes; ++i)
      if ((passed += took.at(i)) >= wanted)
        return longest_of(i);
    return longest_of(classes - 1);
  };
  if (calls > 0) {
    s.p50 = within(50);
    s.p99 = within(99);
  }
  return s;
}

} // namespace steadfast::workflow
