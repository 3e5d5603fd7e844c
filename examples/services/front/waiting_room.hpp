#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace services {

/// Where requests are held; closing it lets all of them go.
class waiting_room {
public:
  /// False when the room was closed before the time was over.
  bool wait(std::chrono::duration<double> how_long) {
    std::unique_lock lock{mutex_};
    ++held_;
    const bool closed = closing_.wait_for(lock, how_long, [this] { return closed_; });
    --held_;
    return !closed;
  }

  void close() {
    const std::lock_guard guard{mutex_};
    closed_ = true;
    closing_.notify_all();
  }

  std::uint64_t held() const {
    const std::lock_guard guard{mutex_};
    return held_;
  }

private:
  mutable std::mutex mutex_;
  std::condition_variable closing_;
  std::uint64_t held_ = 0;
  bool closed_ = false;
};

} // namespace services
