#include "runtime/http/shared_call.hpp"

#include <exception>
#include <utility>

namespace steadfast::runtime {

namespace {

std::string answer_to(const std::function<std::string()>& question) {
  try {
    return question();
  } catch (const std::exception& e) {
    return e.what();
  }
}

} // namespace

void shared_call::ask(listener told) {
  const std::lock_guard lock{mutex_};
  if (!waiting_) {
    waiting_ = std::make_shared<std::vector<listener>>();
    parts_.later(parts_.limit, [self = shared_from_this(), all = waiting_] { self->tell(all, self->parts_.silence); });
  }
  waiting_->push_back(std::move(told));
  if (!std::exchange(is_under_way_, true))
    begin();
}

void shared_call::begin() {
  parts_.on_thread([self = shared_from_this()] {
    std::unique_lock lock{self->mutex_};
    const auto asked = std::exchange(self->waiting_, nullptr);
    lock.unlock();
    if (asked) // else all were told that it takes too long
      self->tell(asked, answer_to(self->parts_.question));
    lock.lock();
    self->is_under_way_ = self->waiting_ != nullptr;
    if (self->is_under_way_)
      self->begin();
  });
}

void shared_call::tell(const listeners& all, const std::string& answer) {
  std::unique_lock lock{mutex_};
  const auto untold = std::exchange(*all, {});
  if (waiting_ == all)
    waiting_ = nullptr; // who comes from now on has a limit of its own
  lock.unlock();
  for (const auto& told : untold)
    told(answer);
}

} // namespace steadfast::runtime
