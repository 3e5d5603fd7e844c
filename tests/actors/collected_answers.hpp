#pragma once

#include "actors/caller.hpp"

#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>

namespace steadfast::tests {

/// Keeps the answers of a caller, which come on threads of its own.
class collected_answers {
public:
  actors::call_over over() {
    return [this](actors::call_ticket ticket, actors::answer a) {
      std::lock_guard lock{mutex_};
      answers_[ticket] = std::move(a);
      changed_.notify_all();
    };
  }

  /// The answer to a call; nothing when there is none after the limit.
  std::optional<actors::answer> wait(actors::call_ticket ticket,
                                     std::chrono::milliseconds limit = std::chrono::seconds{20}) {
    std::unique_lock lock{mutex_};
    changed_.wait_for(lock, limit, [&] { return answers_.contains(ticket); });
    const auto found = answers_.find(ticket);
    return found == answers_.end() ? std::nullopt : std::optional{found->second};
  }

  /// The same, and forgets it.
  std::optional<actors::answer> take(actors::call_ticket ticket) {
    auto a = wait(ticket);
    std::lock_guard lock{mutex_};
    answers_.erase(ticket);
    return a;
  }

private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<actors::call_ticket, actors::answer> answers_;
};

/// A call of a step whose time is long.
inline actors::call call_with(std::string input) {
  actors::call c;
  c.task_id = "order-1";
  c.workflow = "orders";
  c.step = "charge";
  c.attempt = 2;
  c.epoch = 7;
  c.key = "order-1/charge/1/do";
  c.input = std::move(input);
  c.complete_by = workflow::instant{std::chrono::milliseconds{1'767'268'830'000}};
  c.began_at = workflow::instant{std::chrono::milliseconds{1'767'268'800'000}};
  return c;
}

} // namespace steadfast::tests
