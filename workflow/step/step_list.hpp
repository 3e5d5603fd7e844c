#pragma once

#include "workflow/step/few_steps.hpp"
#include "workflow/step/shared_value.hpp"
#include "workflow/step/step_summary.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <vector>

namespace steadfast::workflow {

/// The steps of a task. They lie in stretches of eight, and copies of a task share stretches and steps: a change copies
/// only the step, and the pointers of its stretch. Where two tasks differ is found by what they do not share. Each
/// stretch knows which of its steps the rules may have to look at. A task of up to eight steps has one stretch; in
/// larger tasks sixteen stretches form a block, which is shared too and knows the same about all of its steps.
class step_list {
public:
  static constexpr std::size_t stretch_size = few_steps::size_max;
  static constexpr std::size_t block_size = 16 * stretch_size;

  class iterator;
  using const_iterator = iterator;
  using value_type = step;
  using size_type = std::size_t;

  step_list() = default;
  explicit step_list(std::vector<step> steps);

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  const step& operator[](std::size_t i) const { return stretch_at(i).steps[i % stretch_size]; }
  /// Throws std::out_of_range.
  const step& at(std::size_t i) const;
  const step& front() const { return (*this)[0]; }
  const step& back() const { return (*this)[size_ - 1]; }
  iterator begin() const;
  iterator end() const;

  /// Step `i`, to be changed. Valid until the list is copied; references from before may still refer to the old step.
  step& change(std::size_t i);
  void push_back(step s);
  /// Appends new steps, or removes the last ones.
  void resize(std::size_t count);

  /// Sums up the changed stretches, once all changes are made: what follows is faster then.
  void settle();

  /// Calls f(position) for each step with that mark, in order. `f` may change steps.
  template <step_mark M, class F>
  void each(F f) const;
  template <step_mark M>
  bool any() const;
  /// Calls f(step_summary) for summaries that together cover all steps.
  template <class F>
  void each_summary(F f) const;

  std::uint32_t last_order() const; ///< the highest completed_order

  /// Every step that was never tried waits for others or has been started: nobody has to look for steps that may start
  /// now. False: that is not known. Not part of the value.
  bool is_caught_up() const { return is_caught_up_; }
  void set_caught_up(bool is) { is_caught_up_ = is; }

  const few_steps& stretch_of(std::size_t i) const { return stretch_at(i).steps; } ///< the stretch with step `i`
  /// Replaces the stretch that begins with step `first`. REQUIRES: a stretch begins there, and has as many steps.
  void put_stretch(std::size_t first, few_steps steps);

  /// Calls f(position) for the first step of each stretch of `b` that `a` does not share; for all if the sizes differ.
  template <class F>
  friend void each_changed_stretch(const step_list& a, const step_list& b, F f) {
    if (a.size_ != b.size_) {
      for (std::size_t i = 0; i < b.size_; i += stretch_size)
        f(i);
      return;
    }
    if (!a.first_.is_same(b.first_))
      f(std::size_t{0});
    for (std::size_t i = 0; i < a.rest_.size(); ++i)
      if (!a.rest_[i].is_same(b.rest_[i]))
        a.each_changed_stretch_in(b, i, f);
  }

  /// Calls f(position) for at least each step of `b` that differs in `a`; for all steps if the sizes differ.
  template <class F>
  friend void each_difference(const step_list& a, const step_list& b, F f) {
    each_changed_stretch(a, b, [&](std::size_t first) {
      const auto count = std::min(stretch_size, b.size_ - first);
      const auto* const before = a.size_ == b.size_ ? &a.stretch_of(first) : nullptr;
      const auto& now = b.stretch_of(first);
      for (std::size_t k = 0; k < count; ++k)
        if (before == nullptr || !before->is_same(now, k))
          f(first + k);
    });
  }

  friend bool operator==(const step_list& a, const step_list& b);

private:
  struct stretch {
    few_steps steps;
    step_summary sum;
    bool is_settled = false; ///< `sum` is up to date

    friend bool operator==(const stretch& a, const stretch& b) { return a.steps == b.steps; }
  };
  using shared_stretch = shared_value<stretch>;

  struct block {
    std::vector<shared_stretch> stretches;
    step_summary sum;
    bool is_settled = false; ///< `sum` is up to date, and so is that of each stretch
  };

  static void settle(stretch& s);
  static void settle(block& b);

  const stretch& stretch_at(std::size_t i) const {
    if (i < stretch_size)
      return *first_;
    const auto after_first = i - stretch_size;
    return *rest_[after_first / block_size]->stretches[after_first % block_size / stretch_size];
  }
  shared_stretch& to_change(std::size_t i);
  void append(shared_stretch s);

  template <step_mark M, class F>
  static void each_in(const stretch& s, std::size_t first, F f);
  template <class F>
  void each_changed_stretch_in(const step_list& b, std::size_t i, F f) const;

  std::size_t size_ = 0;
  shared_stretch first_;
  std::vector<shared_value<block>> rest_; ///< all after the first stretch
  bool is_caught_up_ = false;
};

class step_list::iterator {
public:
  using iterator_category = std::random_access_iterator_tag;
  using value_type = step;
  using difference_type = std::ptrdiff_t;
  using pointer = const step*;
  using reference = const step&;

  iterator() = default;
  iterator(const step_list& list, std::size_t at) : list_{&list}, at_{at} {}

  reference operator*() const { return (*list_)[at_]; }
  pointer operator->() const { return &**this; }
  reference operator[](difference_type n) const { return *(*this + n); }
  iterator& operator++() { return *this += 1; }
  iterator& operator--() { return *this -= 1; }
  iterator operator++(int) {
    const auto before = *this;
    ++*this;
    return before;
  }
  iterator operator--(int) {
    const auto before = *this;
    --*this;
    return before;
  }
  iterator& operator+=(difference_type n) {
    at_ += static_cast<std::size_t>(n);
    return *this;
  }
  iterator& operator-=(difference_type n) { return *this += -n; }
  friend iterator operator+(iterator a, difference_type n) { return a += n; }
  friend iterator operator-(iterator a, difference_type n) { return a -= n; }
  friend difference_type operator-(const iterator& a, const iterator& b) {
    return static_cast<difference_type>(a.at_) - static_cast<difference_type>(b.at_);
  }
  friend bool operator==(const iterator& a, const iterator& b) { return a.at_ == b.at_; }
  friend auto operator<=>(const iterator& a, const iterator& b) { return a.at_ <=> b.at_; }

private:
  const step_list* list_ = nullptr;
  std::size_t at_ = 0;
};

inline step_list::iterator step_list::begin() const {
  return {*this, 0};
}

inline step_list::iterator step_list::end() const {
  return {*this, size_};
}

template <step_mark M, class F>
void step_list::each_in(const stretch& s, std::size_t first, F f) {
  const std::uint8_t all = s.is_settled ? s.sum.of(M) : marked_of<M>(s.steps); // `f` may change the stretch
  for (auto left = all; left != 0; left &= static_cast<std::uint8_t>(left - 1))
    f(first + static_cast<std::size_t>(std::countr_zero(left)));
}

template <step_mark M, class F>
void step_list::each(F f) const {
  if (size_ == 0)
    return;
  each_in<M>(*first_, 0, f);
  for (std::size_t i = 0; i < rest_.size(); ++i) {
    if (rest_[i]->is_settled && rest_[i]->sum.of(M) == 0)
      continue;
    for (std::size_t s = 0; s < rest_[i]->stretches.size(); ++s)
      each_in<M>(*rest_[i]->stretches[s], stretch_size + i * block_size + s * stretch_size, f);
  }
}

template <step_mark M>
bool step_list::any() const {
  const auto has = [](const stretch& s) { return (s.is_settled ? s.sum.of(M) : marked_of<M>(s.steps)) != 0; };
  if (size_ == 0)
    return false;
  return has(*first_) || std::any_of(rest_.begin(), rest_.end(), [&](const shared_value<block>& r) {
           return r->is_settled ? r->sum.of(M) != 0
                                : std::any_of(r->stretches.begin(), r->stretches.end(),
                                              [&](const shared_stretch& s) { return has(*s); });
         });
}

template <class F>
void step_list::each_summary(F f) const {
  const auto tell = [&f](const stretch& s) { s.is_settled ? f(s.sum) : f(summary_of(s.steps)); };
  if (size_ == 0)
    return;
  tell(*first_);
  for (const auto& r : rest_)
    if (r->is_settled)
      f(r->sum);
    else
      for (const auto& s : r->stretches)
        tell(*s);
}

template <class F>
void step_list::each_changed_stretch_in(const step_list& b, std::size_t i, F f) const {
  const auto& mine = rest_[i]->stretches;
  const auto& others = b.rest_[i]->stretches;
  for (std::size_t s = 0; s < mine.size(); ++s)
    if (!mine[s].is_same(others[s]))
      f(stretch_size + i * block_size + s * stretch_size);
}

} // namespace steadfast::workflow
