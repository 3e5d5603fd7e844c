#pragma once

#include "actors/protocol/speak.hpp"

#include <caf/actor_system.hpp>
#include <caf/typed_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <memory>
#include <mutex>
#include <vector>

namespace steadfast::tests {

/// An actor that keeps what it is told. Safe with any scheduler.
template <class Message>
class recorder {
public:
  using handle_type = caf::typed_actor<actors::takes<void(Message)>>;

  explicit recorder(caf::actor_system& sys) {
    handle_ = sys.spawn([kept = kept_](typename handle_type::pointer) -> typename handle_type::behavior_type {
      return {[kept](const Message& m) {
        std::lock_guard guard{kept->mutex};
        kept->seen.push_back(m);
      }};
    });
  }

  const handle_type& handle() const { return handle_; }

  std::vector<Message> seen() const {
    std::lock_guard guard{kept_->mutex};
    return kept_->seen;
  }

  /// What came since the last call.
  std::vector<Message> take() {
    std::lock_guard guard{kept_->mutex};
    return std::exchange(kept_->seen, {});
  }

private:
  struct storage {
    std::mutex mutex;
    std::vector<Message> seen;
  };
  std::shared_ptr<storage> kept_ = std::make_shared<storage>();
  handle_type handle_;
};

} // namespace steadfast::tests
