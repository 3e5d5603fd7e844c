#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace steadfast::runtime {

struct shared_call_parts {
  std::function<std::string()> question;                ///< may block; if it throws, what it says is the answer
  std::function<void(std::function<void()>)> on_thread; ///< runs it on a thread that may be blocked
  /// Runs it once that time has passed.
  std::function<void(std::chrono::milliseconds, std::function<void()>)> later;
  std::chrono::milliseconds limit{0};
  std::string silence; ///< the answer to those who would wait longer
};

/// A question that is asked once at a time for all who want to know: who comes while it is asked is told the answer to
/// the next one. For any thread.
class shared_call : public std::enable_shared_from_this<shared_call> {
public:
  using listener = std::function<void(const std::string& answer)>;

  explicit shared_call(shared_call_parts parts) : parts_{std::move(parts)} {}

  /// Each is told once, and waits no longer than the limit.
  void ask(listener told);

private:
  using listeners = std::shared_ptr<std::vector<listener>>; ///< those who are told together

  void begin();
  void tell(const listeners& all, const std::string& answer);

  const shared_call_parts parts_;
  std::mutex mutex_;
  listeners waiting_; ///< for the next call; null: nobody does
  bool is_under_way_ = false;
};

} // namespace steadfast::runtime
