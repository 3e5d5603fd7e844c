#include "workflow/step/step_list.hpp"

#include <stdexcept>
#include <utility>

namespace steadfast::workflow {

step_list::step_list(std::vector<step> steps) {
  for (auto& s : steps)
    push_back(std::move(s));
  settle();
}

const step& step_list::at(std::size_t i) const {
  if (i >= size_)
    throw std::out_of_range{"a task has no such step"};
  return (*this)[i];
}

step& step_list::change(std::size_t i) {
  auto& s = to_change(i).change();
  s.is_settled = false;
  return s.steps.change(i % stretch_size);
}

void step_list::put_stretch(std::size_t first, few_steps steps) {
  to_change(first) = shared_stretch{stretch{std::move(steps), {}, false}};
}

step_list::shared_stretch& step_list::to_change(std::size_t i) {
  is_caught_up_ = false;
  if (i < stretch_size)
    return first_;
  const auto after_first = i - stretch_size;
  auto& r = rest_[after_first / block_size].change();
  r.is_settled = false;
  return r.stretches[after_first % block_size / stretch_size];
}

void step_list::push_back(step s) {
  if (size_ % stretch_size == 0)
    append(shared_stretch{stretch{}});
  ++size_;
  auto& all = size_ <= stretch_size ? first_ : rest_.back().change().stretches.back();
  auto& to = all.change();
  to.is_settled = false;
  to.steps.push_back(std::move(s));
}

/// REQUIRES: those before are full.
void step_list::append(shared_stretch s) {
  if (size_ == 0) {
    first_ = std::move(s);
    return;
  }
  if ((size_ - stretch_size) % block_size == 0)
    rest_.emplace_back(block{});
  auto& r = rest_.back().change();
  r.is_settled = false;
  r.stretches.push_back(std::move(s));
}

// The new ones are all alike, so they are one stretch.
void step_list::resize(std::size_t count) {
  if (count < size_ || size_ % stretch_size != 0) {
    std::vector<step> kept(begin(), begin() + static_cast<std::ptrdiff_t>(std::min(count, size_)));
    kept.resize(count);
    *this = step_list{std::move(kept)};
    return;
  }
  const auto of_new = [](std::size_t steps) {
    stretch s;
    s.steps.grow(steps);
    settle(s);
    return shared_stretch{std::move(s)};
  };
  const auto full = count - size_ >= stretch_size ? of_new(stretch_size) : shared_stretch{};
  for (; count - size_ >= stretch_size; size_ += stretch_size)
    append(full);
  if (count > size_)
    append(of_new(count - size_));
  size_ = count;
  is_caught_up_ = false;
}

std::uint32_t step_list::last_order() const {
  std::uint32_t last = 0;
  const auto ask = [&last](const stretch& s) {
    if (s.is_settled)
      last = std::max(last, s.sum.last_order);
    else
      for (const auto& x : s.steps)
        last = std::max(last, x.completed_order);
  };
  if (size_ > 0)
    ask(*first_);
  for (const auto& r : rest_)
    if (r->is_settled)
      last = std::max(last, r->sum.last_order);
    else
      for (const auto& s : r->stretches)
        ask(*s);
  return last;
}

void step_list::settle(stretch& s) {
  s.sum = summary_of(s.steps);
  s.is_settled = true;
}

void step_list::settle(block& b) {
  b.sum = {};
  for (auto& s : b.stretches) {
    if (!s->is_settled)
      settle(s.change());
    b.sum.add(s->sum);
  }
  b.is_settled = true;
}

void step_list::settle() {
  if (first_ && !first_->is_settled)
    settle(first_.change());
  for (auto& r : rest_)
    if (!r->is_settled)
      settle(r.change());
}

bool operator==(const step_list& a, const step_list& b) {
  if (a.size_ != b.size_)
    return false;
  bool equal = true;
  each_difference(a, b, [&](std::size_t i) { equal = equal && a[i] == b[i]; });
  return equal;
}

} // namespace steadfast::workflow
