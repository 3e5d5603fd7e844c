#pragma once

#include "actors/agents/caller.hpp"

#include <chrono>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <optional>

namespace steadfast::tests {

/// Keeps the answers of a caller, which come on threads of its own, also when nobody waits for them any more.
class collected_answers {
public:
  actors::call_over over() {
    return [s = state_](actors::call_ticket ticket, actors::answer a) {
      std::lock_guard lock{s->mutex};
      s->answers[ticket] = std::move(a);
      s->changed.notify_all();
    };
  }

  /// The answer to a call; nothing when there is none after the limit.
  std::optional<actors::answer> wait(actors::call_ticket ticket,
                                     std::chrono::milliseconds limit = std::chrono::seconds{20}) {
    std::unique_lock lock{state_->mutex};
    auto& answers = state_->answers;
    state_->changed.wait_for(lock, limit, [&] { return answers.contains(ticket); });
    const auto found = answers.find(ticket);
    return found == answers.end() ? std::nullopt : std::optional{found->second};
  }

  /// The same, and forgets it.
  std::optional<actors::answer> take(actors::call_ticket ticket) {
    auto a = wait(ticket);
    std::lock_guard lock{state_->mutex};
    state_->answers.erase(ticket);
    return a;
  }

private:
  struct state {
    std::mutex mutex;
    std::condition_variable changed;
    std::map<actors::call_ticket, actors::answer> answers;
  };
  std::shared_ptr<state> state_ = std::make_shared<state>();
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
