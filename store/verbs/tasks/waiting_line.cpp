#include "store/verbs/tasks/waiting_line.hpp"

#include "store/records/record.hpp"

#include <algorithm>
#include <limits>

namespace steadfast::store {

namespace {

constexpr std::size_t lanes_min = 16; ///< so many are compared, also when one place is to be had
constexpr std::uint64_t unlimited = std::uint64_t{1} << 40U;
constexpr auto last_tag = std::numeric_limits<std::uint32_t>::max();
constexpr auto last_group = std::numeric_limits<std::uint64_t>::max();
constexpr auto last_number = last_group >> 1U; ///< of a task; groups are above (group_of)
constexpr unsigned last_level = std::numeric_limits<std::uint8_t>::max();

} // namespace

std::uint32_t workflow_tag(std::string_view workflow) {
  return static_cast<std::uint32_t>(hash_of(workflow));
}

std::optional<std::uint64_t> oldest_of(const waiting_tasks& all) {
  std::optional<std::uint64_t> oldest;
  auto at = all.first({});
  for (std::size_t looked = 0; at && looked < oldest_looked_at; ++looked) {
    oldest = std::min(oldest.value_or(at->number), at->number);
    // What comes after all of the same group, workflow and priority.
    at = all.first({at->priority, at->tag, at->group, at->group == 0 ? last_number : last_group});
  }
  return oldest;
}

waiting_line::waiting_line(const waiting_tasks& all, const claim_tasks& w, std::size_t max, group_turns& turns)
    : all_{all},
      left_{max},
      places_{w.places == 0 ? unlimited : w.places, w.in_flight},
      turn_{workflow_tag(w.after)},
      turns_{turns} {
  for (const auto& x : w.loads)
    loads_[workflow_tag(x.workflow)] += x.load;
}

std::optional<std::uint64_t> waiting_line::next() {
  while (!lanes_.empty() || open_level()) {
    const auto i = workflow::whose_turn(lane_loads_, places_);
    if (!i) { // all have their share; a task of lower priority may be of one that has not
      close_lanes();
      continue;
    }
    auto& x = lanes_[*i];
    const auto number = next_of(x);
    if (!number) {
      lanes_.erase(lanes_.begin() + static_cast<std::ptrdiff_t>(*i));
      lane_loads_.erase(lane_loads_.begin() + static_cast<std::ptrdiff_t>(*i));
      continue;
    }
    ++places_.taken;
    lane_loads_[*i] = ++loads_[x.tag];
    left_ -= left_ > 0 ? 1 : 0;
    return number;
  }
  return std::nullopt;
}

std::optional<std::uint64_t> waiting_line::next_of(lane& x) {
  if (!x.is_turn_of_groups)
    if (const auto number = next_of_no_group(x)) {
      x.is_turn_of_groups = x.any_in_groups;
      return number;
    }
  x.is_turn_of_groups = false;
  const auto number = x.any_in_groups ? next_of_groups(x) : std::nullopt;
  x.any_in_groups = number.has_value();
  return number ? number : next_of_no_group(x);
}

std::optional<std::uint64_t> waiting_line::next_of_no_group(lane& x) {
  if (x.numbers.empty() && !refill(x))
    return std::nullopt;
  const auto number = x.numbers.back();
  x.numbers.pop_back();
  return number;
}

/// Of the first group after the one whose turn it was that has a task which was not given yet.
std::optional<std::uint64_t> waiting_line::next_of_groups(lane& x) {
  const auto known = turns_.find(x.tag);
  const auto turn = known == turns_.end() ? last_number : known->second;
  auto found = turn < last_group ? next_group(x, turn + 1, last_group) : std::nullopt;
  if (!found && turn > last_number)
    found = next_group(x, last_number + 1, turn);
  if (!found)
    return std::nullopt;
  turns_[x.tag] = found->group;
  x.given[found->group] = found->number;
  return found->number;
}

/// The first such place with a group from `from` to `last`.
std::optional<waiting_place> waiting_line::next_group(lane& x, std::uint64_t from, std::uint64_t last) const {
  for (waiting_place at{priority_, x.tag, from, 0};;) {
    const auto found = all_.first(at);
    if (!found || found->priority != priority_ || found->tag != x.tag || found->group > last)
      return std::nullopt;
    const auto given = x.given.find(found->group);
    if (given == x.given.end() || found->number > given->second)
      return found;
    at = {priority_, x.tag, found->group, given->second + 1}; // it could not be taken, or its group has no more
  }
}

/// The lanes of the next priority at which somebody waits who may take something.
bool waiting_line::open_level() {
  while (level_ <= last_level) {
    const auto first = all_.first({static_cast<std::uint8_t>(level_), 0, 0, 0});
    if (!first)
      break;
    priority_ = first->priority;
    level_ = priority_ + 1U;
    if (turn_ < last_tag)
      open_lanes(std::max(turn_ + 1, first->tag), last_tag);
    if (first->tag <= turn_)
      open_lanes(first->tag, turn_);
    if (!lanes_.empty())
      return true;
  }
  return false;
}

/// Of the workflows with tags from `first` to `last`.
void waiting_line::open_lanes(std::uint32_t first, std::uint32_t last) {
  const auto lanes_max = std::max(left_, lanes_min);
  for (auto tag = first; lanes_.size() < lanes_max; ++tag) {
    const auto oldest = all_.first({priority_, tag, 0, 0});
    if (!oldest || oldest->priority != priority_ || oldest->tag > last)
      return;
    tag = oldest->tag;
    const auto known = loads_.find(tag);
    const auto load = known == loads_.end() ? 0 : known->second;
    if (workflow::may_take(load, places_)) {
      auto& x = lanes_.emplace_back();
      x.tag = tag;
      if (oldest->group == 0) {
        x.numbers = {oldest->number};
        x.behind = oldest->number;
      }
      lane_loads_.push_back(load);
    }
    if (tag == last)
      return;
  }
}

/// With its part of what is still to be had. False: there are no more.
bool waiting_line::refill(lane& x) {
  x.numbers = all_.numbers({priority_, x.tag, 0, x.behind + 1}, left_ / lanes_.size() + 1);
  if (x.numbers.empty())
    return false;
  x.behind = x.numbers.back();
  std::reverse(x.numbers.begin(), x.numbers.end());
  return true;
}

void waiting_line::close_lanes() {
  lanes_.clear();
  lane_loads_.clear();
}

} // namespace steadfast::store
