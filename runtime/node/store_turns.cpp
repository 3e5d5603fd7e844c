#include "runtime/node/store_turns.hpp"

#include <algorithm>
#include <utility>

namespace steadfast {

namespace {

using std::chrono::milliseconds;

constexpr milliseconds often{10};
constexpr milliseconds often_for{5000};

} // namespace

void store_turns::look_often() {
  const std::lock_guard lock{mutex_};
  often_until_ = clock::now() + often_for;
  changed_.notify_all();
}

void store_turns::leave(milliseconds to_read) {
  const std::lock_guard lock{mutex_};
  is_leaving_ = is_told_to_leave_ = true;
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
  const auto is_told = [this] { return is_told_to_leave_; };
  if (!is_often())
    changed_.wait_until(lock, end, until, [&] { return is_often() || is_told(); });
  else
    changed_.wait_for(lock, end, std::min(usual, often), is_told);
  return !end.stop_requested();
}

bool store_turns::was_told_to_leave() {
  const std::lock_guard lock{mutex_};
  return std::exchange(is_told_to_leave_, false);
}

bool store_turns::wait_for_readers(milliseconds time, const std::stop_token& end) {
  std::unique_lock lock{mutex_};
  changed_.wait_for(lock, end, time, [] { return false; });
  return !end.stop_requested() && clock::now() < read_until_;
}

void store_turns::note_nobody_waits() {
  const std::lock_guard lock{mutex_};
  answer_ = answer::nobody_waits;
  changed_.notify_all();
}

void store_turns::note_left() {
  const std::lock_guard lock{mutex_};
  answer_ = answer::left;
  changed_.notify_all();
}

} // namespace steadfast
