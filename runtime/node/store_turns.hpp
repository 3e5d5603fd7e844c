#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <stop_token>

namespace steadfast {

/// Between the thread that takes a node's turns with a store on a server, and those who tell it what to do. For any
/// thread.
class store_turns {
public:
  /// Whoever had the store has let it go: for a while the thread looks often who is to have it.
  void look_often();
  /// From now on this node lets others first, and lets the store go once somebody waits for it, who has that long to
  /// read what is in it.
  void leave(std::chrono::milliseconds to_read);
  bool is_leaving() const;
  /// Until the node has let the store go. False: nobody waits for it, or the limit has passed.
  bool wait_until_left(std::chrono::milliseconds limit);

  // ---- for the thread ----

  /// Between two looks, or until the node is to leave. False: it shall end.
  bool wait_to_look(std::chrono::milliseconds usual, const std::stop_token& end);
  /// Since it was asked last: each time is to be followed at once, whenever the thread would have asked who waits.
  bool was_told_to_leave();
  /// While it is about to be let go. False: there is no time left.
  bool wait_for_readers(std::chrono::milliseconds time, const std::stop_token& end);
  void note_left();
  void note_nobody_waits();

private:
  using clock = std::chrono::steady_clock;
  enum class answer { none, nobody_waits, left };

  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  bool is_leaving_ = false;
  bool is_told_to_leave_ = false; ///< and the thread has not seen it yet
  answer answer_ = answer::none;  ///< to whoever waits until it has left
  clock::time_point often_until_;
  clock::time_point read_until_; ///< others have time until then
};

} // namespace steadfast
