#pragma once

#include "workflow/step/shared_value.hpp"

namespace steadfast::workflow {

/// A value that is rarely set: as `T` begins, it takes only a pointer. Copies share it until one of them changes it.
template <class T>
class rare_value {
public:
  const T& operator*() const { return held_ ? *held_ : none; }
  const T* operator->() const { return &**this; }
  bool empty() const { return !held_ || *held_ == none; }

  /// The value, to be changed. References from before stay as they were if other copies have it too.
  T& change() {
    if (!held_)
      held_ = shared_value<T>{T{}};
    return held_.change();
  }
  void clear() { held_ = {}; }

  /// Whether both share one value, rather than having equal ones: may say no for equal values.
  bool is_same(const rare_value& other) const { return held_.is_same(other.held_); }

  friend bool operator==(const rare_value& a, const rare_value& b) { return a.held_.is_same(b.held_) || *a == *b; }

private:
  inline static const T none{};

  shared_value<T> held_;
};

} // namespace steadfast::workflow
