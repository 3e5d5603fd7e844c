#include "runtime/http/shared_call.hpp"

#include <exception>
#include <utility>

namespace steadfast::runtime {

shared_call::shared_call(std::shared_ptr<const control_methods> methods, std::string name,
                         std::function<void(std::function<void()>)> on_thread)
    : methods_{std::move(methods)},
      name_{std::move(name)},
      on_thread_{std::move(on_thread)} {}

void shared_call::ask(control_reply reply) {
  const std::lock_guard lock{mutex_};
  waiting_.push_back(std::move(reply));
  if (!std::exchange(is_under_way_, true))
    begin();
}

void shared_call::begin() {
  on_thread_([self = shared_from_this()] {
    std::unique_lock lock{self->mutex_};
    const auto asked = std::exchange(self->waiting_, {});
    lock.unlock();
    try {
      self->methods_->at(self->name_)(nlohmann::json::object(),
                                      [self, asked](const control_answer& a) { self->answer(asked, a); });
    } catch (...) {
      self->answer(asked, [why = std::current_exception()]() -> nlohmann::json { std::rethrow_exception(why); });
    }
  });
}

void shared_call::answer(const std::vector<control_reply>& asked, const control_answer& a) {
  control_answer told;
  try {
    told = [result = a()] { return result; };
  } catch (...) {
    told = [why = std::current_exception()]() -> nlohmann::json { std::rethrow_exception(why); };
  }
  for (const auto& reply : asked)
    reply(told);
  const std::lock_guard lock{mutex_};
  is_under_way_ = !waiting_.empty();
  if (is_under_way_)
    begin();
}

} // namespace steadfast::runtime
