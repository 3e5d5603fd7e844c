#include "apps/bench/load/paced_service.hpp"

#include <chrono>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

namespace steadfast::bench {
namespace {

using pace_clock = std::chrono::steady_clock;
using std::chrono::duration;
using std::chrono::milliseconds;

/// Answers calls when their time has come, on a thread of its own.
class paced_service {
public:
  explicit paced_service(const pace& p) : pace_{p} {}

  void take(actors::answer_to to) {
    const std::lock_guard lock{mutex_};
    const auto now = pace_clock::now();
    first_ = first_.value_or(now);
    const duration<double> since = now - *first_;
    const bool is_slow = since.count() >= pace_.slow_from && since.count() < pace_.slow_from + pace_.slow_for;
    open_.emplace(now + milliseconds{is_slow ? pace_.slow_call_ms : pace_.call_ms}, std::move(to));
    changed_.notify_one();
  }

private:
  void answer_all(const std::stop_token& stop) {
    std::unique_lock lock{mutex_};
    while (!stop.stop_requested()) {
      if (open_.empty()) {
        changed_.wait(lock, stop, [this] { return !open_.empty(); });
      } else if (const auto first = open_.begin(); first->first > pace_clock::now()) {
        changed_.wait_until(lock, stop, pace_clock::time_point{first->first},
                            [this, due = first->first] { return open_.begin()->first < due; });
      } else {
        const auto answer = std::move(first->second);
        open_.erase(first);
        lock.unlock();
        answer(actors::succeeded());
        lock.lock();
      }
    }
  }

  pace pace_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::optional<pace_clock::time_point> first_;
  std::multimap<pace_clock::time_point, actors::answer_to> open_;
  std::jthread thread_{[this](const std::stop_token& stop) { answer_all(stop); }};
};

} // namespace

actors::agent_function paced_agent(const pace& p) {
  return actors::async_function{[service = std::make_shared<paced_service>(p)](
                                  const actors::call&, actors::answer_to to) { service->take(std::move(to)); }};
}

} // namespace steadfast::bench
