#include "workflow/outward/delivery_queue.hpp"

#include <algorithm>
#include <utility>

namespace steadfast::workflow {

namespace {

constexpr std::uint32_t failures_max = 1'000'000; ///< that are counted

} // namespace

/// The first of each lane that is to be sent, unless one of its lane is under way.
template <class Use>
void delivery_queue::each_head(Use use) const {
  auto i = entries_.begin();
  while (i != entries_.end()) {
    const auto lane = i->first.lane;
    while (i != entries_.end() && i->first.lane == lane && i->second.is_settled)
      ++i;
    if (i != entries_.end() && i->first.lane == lane && !i->second.is_under_way)
      use(*i);
    i = entries_.upper_bound({lane, ~std::uint32_t{0}});
  }
}

void delivery_queue::take_in(delivery_place at, notification what) {
  entries_.try_emplace(at, entry{std::move(what)});
}

bool delivery_queue::may_send(instant now) const {
  return now >= paused_until_ && under_way_ < (is_away() ? 1 : options_.at_once);
}

std::optional<delivery_place> delivery_queue::next(instant now) {
  if (!may_send(now))
    return std::nullopt;
  std::optional<delivery_place> found;
  instant earliest = never;
  each_head([&](const auto& x) {
    if (x.second.retry_at <= now && std::max(x.second.retry_at, x.second.what.at) < earliest) {
      earliest = std::max(x.second.retry_at, x.second.what.at);
      found = x.first;
    }
  });
  if (!found)
    return std::nullopt;
  auto& e = entries_.at(*found);
  e.is_under_way = true;
  ++e.tries;
  ++under_way_;
  return found;
}

void delivery_queue::delivered(delivery_place p) {
  auto& e = entries_.at(p);
  e.is_under_way = false;
  e.is_settled = true;
  --under_way_;
  if (is_away()) // it is back: what waits for it need not wait longer
    for (auto& [place, other] : entries_)
      other.retry_at = unset;
  failures_ = 0;
  paused_until_ = unset;
}

delivery_queue::after_failure delivery_queue::failed(delivery_place p, const failure& why, instant now) {
  auto& e = entries_.at(p);
  e.is_under_way = false;
  --under_way_;
  failures_ = std::min(failures_, failures_max) + 1;
  const auto pause = is_away() ? back_off(options_.retry, failures_ - away_after + 1, why.chance) : span{0};
  if (const auto wait = std::max(pause, why.retry_after); wait > span{0})
    paused_until_ = std::max(paused_until_, now + wait);
  if (now - e.what.at >= options_.give_up_after) {
    e.is_settled = true;
    return after_failure::given_up;
  }
  e.retry_at = now + std::max(back_off(options_.retry, e.tries, why.chance), why.retry_after);
  return after_failure::again;
}

std::vector<delivery_place> delivery_queue::give_up(instant now) {
  std::vector<delivery_place> found;
  if (!is_away())
    return found;
  each_head([&](const auto& x) {
    if (now - x.second.what.at >= options_.give_up_after)
      found.push_back(x.first);
  });
  for (const auto& p : found)
    entries_.at(p).is_settled = true;
  return found;
}

void delivery_queue::forget(delivery_place p) {
  const auto first = entries_.lower_bound({p.lane, 0});
  entries_.erase(first, entries_.upper_bound(p));
}

instant delivery_queue::next_due() const {
  if (!may_send(paused_until_))
    return never;
  instant due = never;
  each_head([&](const auto& x) { due = std::min(due, x.second.retry_at); });
  return due == never ? never : std::max(due, paused_until_);
}

instant delivery_queue::oldest() const {
  instant first = never;
  for (const auto& [place, e] : entries_)
    if (!e.is_settled)
      first = std::min(first, e.what.at);
  return first;
}

} // namespace steadfast::workflow
