#include "runtime/node/store_turns.hpp"

#include <algorithm>
#include <utility>

namespace steadfast {

namespace {

using std::chrono::milliseconds;

constexpr milliseconds often{10};
constexpr milliseconds often_for{5000};
constexpr milliseconds ask_again_after{1000}; ///< whether somebody waits

} // namespace

void store_turns::look_often() {
  const std::lock_guard lock{mutex_};
  often_until_ = clock::now() + often_for;
  changed_.notify_all();
}

void store_turns::leave(milliseconds to_read) {
  const std::lock_guard lock{mutex_};
  is_leaving_ = true;
  read_until_ = clock::now() + to_read;
  answer_ = answer::none;
  changed_.notify_all();
}

bool store_turns::is_leaving() const {
  const std::lock_guard lock{mutex_};
  return is_leaving_;
}

bool store_turns::wait_until_left(milliseconds limit) {
  std::unique_lock lock{mutex_};
  changed_.wait_for(lock, limit, [this] { return answer_ != answer::none; });
  return answer_ == answer::left;
}

bool store_turns::wait_to_look(milliseconds usual, const std::stop_token& end) {
  std::unique_lock lock{mutex_};
  const auto until = clock::now() + usual;
  const auto is_often = [this] { return clock::now() < often_until_; };
  if (!is_often())
    changed_.wait_until(lock, end, until, is_often);
  else
    changed_.wait_for(lock, end, std::min(usual, often), [] { return false; });
  return !end.stop_requested();
}

bool store_turns::wait_to_leave(const std::function<bool()>& is_awaited, const std::stop_token& end) {
  std::unique_lock lock{mutex_};
  while (!end.stop_requested()) {
    if (!is_leaving_) {
      changed_.wait(lock, end, [this] { return is_leaving_; });
      continue;
    }
    lock.unlock();
    const bool is = is_awaited();
    lock.lock();
    if (is)
      return true;
    answer_ = answer::nobody_waits;
    changed_.notify_all();
    changed_.wait_for(lock, end, ask_again_after, [this] { return answer_ == answer::none; });
  }
  return false;
}

bool store_turns::wait_for_readers(milliseconds time, const std::stop_token& end) {
  std::unique_lock lock{mutex_};
  changed_.wait_for(lock, end, time, [] { return false; });
  return !end.stop_requested() && clock::now() < read_until_;
}

void store_turns::note_left() {
  const std::lock_guard lock{mutex_};
  answer_ = answer::left;
  changed_.notify_all();
}

} // namespace steadfast
