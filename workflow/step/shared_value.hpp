#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

namespace steadfast::workflow {

/// A value that copies share until one of them changes it (copy on write). Different copies may be read, changed and
/// dropped in different threads.
template <class T>
class shared_value {
public:
  shared_value() = default; ///< holds nothing
  explicit shared_value(T value) : held_{new held{std::move(value)}} {}
  shared_value(const shared_value& other) noexcept : held_{other.held_} {
    if (held_ != nullptr)
      held_->owners.fetch_add(1, std::memory_order_relaxed);
  }
  shared_value(shared_value&& other) noexcept : held_{std::exchange(other.held_, nullptr)} {}
  shared_value& operator=(shared_value other) noexcept {
    std::swap(held_, other.held_);
    return *this;
  }
  ~shared_value() {
    if (held_ != nullptr && held_->owners.fetch_sub(1, std::memory_order_acq_rel) == 1)
      delete held_;
  }

  explicit operator bool() const { return held_ != nullptr; }
  bool is_same(const shared_value& other) const { return held_ == other.held_; } ///< the shared one, not an equal one

  // REQUIRES for all below: it holds something.
  const T& operator*() const { return held_->value; }
  const T* operator->() const { return &held_->value; }

  /// The value, to be changed. References from before stay as they were if other copies have it too.
  T& change() {
    if (held_->owners.load(std::memory_order_acquire) != 1) {
      shared_value copy;
      copy.held_ = new held{held_->value};
      std::swap(held_, copy.held_);
    }
    return held_->value;
  }

private:
  struct held {
    T value;
    std::atomic<std::uint32_t> owners{1};
  };

  held* held_ = nullptr;
};

} // namespace steadfast::workflow
