#pragma once

#include "runtime/events/change_watch.hpp"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>

namespace steadfast::runtime {

/// Tells whoever waits for a change of a task that there was one. For any thread.
class change_hub : public std::enable_shared_from_this<change_hub> {
public:
  using listening = std::shared_ptr<void>; ///< ends with it; null: the hub was closed

  /// Must not block, nor begin or end to listen.
  listening listen(std::uint64_t number, std::function<void()> wake);
  /// The same for all tasks.
  listening listen_to_all(changes_listener told);

  void take(const task_changes& c);
  /// Whether each change wakes those that wait for it.
  bool is_complete() const { return is_complete_; }
  /// Waits for it; false: it did not come to that.
  bool wait_until_complete(std::chrono::milliseconds limit);

  /// Nobody listens any more: what waits is let go.
  void close();

private:
  using entries = std::multimap<std::uint64_t, changes_listener>; ///< by number; of all, under 0

  listening add(std::uint64_t number, changes_listener told);

  std::mutex mutex_;
  std::condition_variable completed_;
  entries entries_;
  bool is_closed_ = false;
  std::atomic<bool> is_complete_ = false;
};

} // namespace steadfast::runtime
