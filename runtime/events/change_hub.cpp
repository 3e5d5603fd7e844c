#include "runtime/events/change_hub.hpp"

#include <utility>

namespace steadfast::runtime {

change_hub::listening change_hub::listen(std::uint64_t number, std::function<void()> wake) {
  return add(number, [wake = std::move(wake)](const task_changes&) { wake(); });
}

change_hub::listening change_hub::listen_to_all(changes_listener told) {
  return add(0, std::move(told));
}

change_hub::listening change_hub::add(std::uint64_t number, changes_listener told) {
  const std::lock_guard lock{mutex_};
  if (is_closed_)
    return {};
  const auto place = entries_.emplace(number, std::move(told));
  const auto end = [self = weak_from_this(), place](void*) {
    const auto hub = self.lock();
    if (!hub)
      return;
    entries::node_type gone; // it may hold who listens, and is let go without the lock
    const std::lock_guard lock_to_end{hub->mutex_};
    if (!hub->is_closed_)
      gone = hub->entries_.extract(place);
  };
  return {&entries_, end};
}

void change_hub::take(const task_changes& c) {
  const std::lock_guard lock{mutex_};
  const bool all = is_complete_.exchange(c.is_complete) != c.is_complete || c.any;
  completed_.notify_all();
  if (all) {
    for (const auto& [number, told] : entries_)
      told(c);
    return;
  }
  const auto tell = [&](std::uint64_t number) {
    const auto [from, to] = entries_.equal_range(number);
    for (auto i = from; i != to; ++i)
      i->second(c);
  };
  tell(0);
  for (const auto number : c.numbers)
    tell(number);
}

bool change_hub::wait_until_complete(std::chrono::milliseconds limit) {
  std::unique_lock lock{mutex_};
  return completed_.wait_for(lock, limit, [this] { return is_complete() || is_closed_; }) && is_complete();
}

void change_hub::close() {
  entries gone;
  const std::lock_guard lock{mutex_};
  is_closed_ = true;
  gone.swap(entries_);
  completed_.notify_all();
}

} // namespace steadfast::runtime
