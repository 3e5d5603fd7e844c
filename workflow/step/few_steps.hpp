#pragma once

#include "workflow/step/rare_value.hpp"
#include "workflow/step/step.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace steadfast::workflow {

/// Up to eight steps. Copies share each step until one of them changes it: making or dropping a copy only counts the
/// owners of each step, and touches nothing else of it. A step to which nothing has happened is an empty pointer.
class few_steps {
public:
  static constexpr std::size_t size_max = 8;

  class const_iterator;
  using value_type = step;

  few_steps() = default;
  /// REQUIRES: at most size_max.
  explicit few_steps(std::vector<step> steps) {
    for (auto& s : steps)
      push_back(std::move(s));
  }

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  const step& operator[](std::size_t i) const { return *steps_[i]; }
  const_iterator begin() const;
  const_iterator end() const;

  /// Step `i`, to be changed. References to it from before may still refer to the old step.
  step& change(std::size_t i) { return steps_[i].change(); }
  /// REQUIRES: there are less than size_max.
  void push_back(step s) {
    if (auto& to = steps_[size_++]; s != step{})
      to.change() = std::move(s);
  }
  /// Adds new steps up to that count. REQUIRES: at most size_max.
  void grow(std::size_t count) { size_ = static_cast<std::uint8_t>(count); }

  /// Whether both share step `i`, rather than having equal ones. May say no for steps that are equal.
  bool is_same(const few_steps& other, std::size_t i) const { return steps_[i].is_same(other.steps_[i]); }

  friend bool operator==(const few_steps&, const few_steps&) = default;

private:
  std::array<rare_value<step>, size_max> steps_;
  std::uint8_t size_ = 0;
};

class few_steps::const_iterator {
public:
  using iterator_category = std::forward_iterator_tag;
  using value_type = step;
  using difference_type = std::ptrdiff_t;
  using pointer = const step*;
  using reference = const step&;

  const_iterator() = default;
  explicit const_iterator(const rare_value<step>* at) : at_{at} {}

  reference operator*() const { return **at_; }
  pointer operator->() const { return &**at_; }
  const_iterator& operator++() {
    ++at_;
    return *this;
  }
  const_iterator operator++(int) { return const_iterator{at_++}; }
  friend bool operator==(const_iterator, const_iterator) = default;

private:
  const rare_value<step>* at_ = nullptr;
};

inline few_steps::const_iterator few_steps::begin() const {
  return const_iterator{steps_.data()};
}

inline few_steps::const_iterator few_steps::end() const {
  return const_iterator{steps_.data() + size_};
}

} // namespace steadfast::workflow
