#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace steadfast::actors {

/// Counts threads that may outlive their pool, by owner, for code that must wait for them.
class open_threads {
public:
  using moment = std::chrono::steady_clock::time_point;

  explicit open_threads(std::function<moment()> now) : now_{std::move(now)} {}

  void begin(const std::string& whose);
  void end(const std::string& whose);
  /// Waits until all have ended or the moment has come; returns the owners of those that are left.
  std::vector<std::string> wait_until(moment end);

  /// Marks work, from its begin to its end, that should be over after that time. From any thread.
  std::multiset<moment>::iterator begin_work(std::chrono::milliseconds longest);
  void end_work(std::multiset<moment>::iterator work);
  /// When the last of the work under way should be over; none: nothing is under way.
  std::optional<moment> last_due() const;

private:
  const std::function<moment()> now_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::string, std::size_t> open_;
  std::multiset<moment> due_;
};

/// Where the threads of a pool are counted; by default nowhere.
struct thread_place {
  std::shared_ptr<open_threads> open;
  std::string whose;
};

/// A pool of threads for work that blocks. A thread is started when there is work and none is idle. The destructor
/// waits for idle threads only: one that is busy ends by itself when its work returns, and is counted at its place
/// until then.
class call_threads {
public:
  explicit call_threads(std::size_t threads_max, thread_place place = {});
  ~call_threads();
  call_threads(const call_threads&) = delete;
  call_threads& operator=(const call_threads&) = delete;

  /// `work` must not throw.
  void carry_out(std::function<void()> work);

private:
  /// Outlives the pool while a thread is busy.
  struct shared {
    thread_place place;
    std::mutex mutex;
    std::condition_variable changed;
    std::deque<std::function<void()>> work;
    std::size_t threads = 0;
    std::size_t idle = 0;
    bool closed = false;
  };
  void start_thread();
  static void serve(const std::shared_ptr<shared>& s);

  std::size_t threads_max_;
  std::shared_ptr<shared> shared_ = std::make_shared<shared>();
};

/// For a thread that handles no signals: they go to the thread that waits for them, and writing to a closed connection
/// is an error instead of the end of the process. Signals raised by a fault of the thread itself are not blocked.
void block_signals();

} // namespace steadfast::actors
