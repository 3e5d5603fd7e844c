#include "store/waiting_line.hpp"

#include <algorithm>
#include <limits>

namespace steadfast::store {

namespace {

constexpr std::size_t lanes_min = 16; ///< so many are compared, also when one place is to be had
constexpr std::uint64_t unlimited = std::uint64_t{1} << 40U;
constexpr auto last_tag = std::numeric_limits<std::uint32_t>::max();
constexpr unsigned last_level = std::numeric_limits<std::uint8_t>::max();

struct entry {
  std::uint8_t priority;
  std::uint32_t tag;
  std::uint64_t number;
};

entry entry_of(std::string_view ready_key) {
  key_reader k{ready_key};
  const auto priority = k.number<std::uint8_t>().value_or(0);
  const auto tag = k.number<std::uint32_t>().value_or(0);
  return {priority, tag, k.number<std::uint64_t>().value_or(0)};
}

} // namespace

waiting_line::waiting_line(const lmdb::transaction& txn, lmdb::table ready, const claim_tasks& w, std::size_t max)
    : txn_{txn},
      ready_{ready},
      left_{max},
      places_{w.places == 0 ? unlimited : w.places, w.in_hand},
      turn_{workflow_tag(w.after)} {
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
    if (x.numbers.empty() && !refill(x)) {
      lanes_.erase(lanes_.begin() + static_cast<std::ptrdiff_t>(*i));
      lane_loads_.erase(lane_loads_.begin() + static_cast<std::ptrdiff_t>(*i));
      continue;
    }
    ++places_.taken;
    lane_loads_[*i] = ++loads_[x.tag];
    left_ -= left_ > 0 ? 1 : 0;
    const auto number = x.numbers.back();
    x.numbers.pop_back();
    return number;
  }
  return std::nullopt;
}

/// The lanes of the next priority at which somebody waits who may take something.
bool waiting_line::open_level() {
  while (level_ <= last_level) {
    lmdb::cursor c{txn_, ready_};
    if (!c.seek(key{static_cast<std::uint8_t>(level_)}))
      break;
    const auto first = entry_of(c.key());
    priority_ = first.priority;
    level_ = priority_ + 1U;
    if (turn_ < last_tag)
      gather(c, std::max(turn_ + 1, first.tag), last_tag);
    if (first.tag <= turn_)
      gather(c, first.tag, turn_);
    if (!lanes_.empty())
      return true;
  }
  return false;
}

/// Of the workflows with tags from `first` to `last`.
void waiting_line::gather(lmdb::cursor& c, std::uint32_t first, std::uint32_t last) {
  const auto lanes_max = std::max(left_, lanes_min);
  for (auto tag = first; lanes_.size() < lanes_max && c.seek(key{priority_, tag}); ++tag) {
    const auto e = entry_of(c.key());
    if (e.priority != priority_ || e.tag > last)
      return;
    tag = e.tag;
    const auto known = loads_.find(tag);
    const auto load = known == loads_.end() ? 0 : known->second;
    if (workflow::may_take(load, places_)) {
      lanes_.push_back({tag, {e.number}, e.number});
      lane_loads_.push_back(load);
    }
    if (tag == last)
      return;
  }
}

/// With its part of what is still to be had. False: there are no more.
bool waiting_line::refill(lane& x) {
  const auto wanted = left_ / lanes_.size() + 1;
  lmdb::cursor c{txn_, ready_};
  const key all{priority_, x.tag};
  for (bool more = c.seek(key{all.view(), x.behind + 1});
       more && x.numbers.size() < wanted && c.key().starts_with(all.view()); more = c.next())
    x.numbers.push_back(last_number(c.key()));
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
