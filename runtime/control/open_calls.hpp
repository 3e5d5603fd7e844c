#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>

namespace steadfast {

/// Calls to a server that have begun and are not answered yet. For any thread.
class open_calls {
public:
  void begin() {
    const std::lock_guard lock{mutex_};
    ++count_;
  }
  void end() {
    const std::lock_guard lock{mutex_};
    --count_;
    changed_.notify_all();
  }
  void wait_for_all() {
    std::unique_lock lock{mutex_};
    changed_.wait(lock, [this] { return count_ == 0; });
  }
  bool wait_for_all(std::chrono::milliseconds limit) {
    std::unique_lock lock{mutex_};
    return changed_.wait_for(lock, limit, [this] { return count_ == 0; });
  }

private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t count_ = 0;
};

} // namespace steadfast
