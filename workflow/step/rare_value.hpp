#pragma once

#include "workflow/step/shared_value.hpp"

namespace steadfast::workflow {

/// A value that few have: one that is as `T` begins takes the room of a pointer. Copies share it until one changes it.
template <class T>
class rare_value {
public:
  const T& operator*() const { return held_ ? *held_ : none; }
  const T* operator->() const { return &**this; }
  bool empty() const { return !held_ || *held_ == none; }

  /// To be changed. What was read of it before stays as it was if others have it too.
  T& change() {
    if (!held_)
      held_ = shared_value<T>{T{}};
    return held_.change();
  }
  void clear() { held_ = {}; }

  /// The same one, not only equal: of two that are equal it may say no.
  bool is_same(const rare_value& other) const { return held_.is_same(other.held_); }

  friend bool operator==(const rare_value& a, const rare_value& b) { return a.held_.is_same(b.held_) || *a == *b; }

private:
  inline static const T none{};

  shared_value<T> held_;
};

} // namespace steadfast::workflow
