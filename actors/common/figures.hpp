#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

// What an actor counts of its work, for whoever measures it. Only the actor counts; any thread reads, even while the
// actor hangs. No lock is taken, and counting costs no more than with plain numbers.

namespace steadfast::actors {

class counter {
public:
  void add(std::uint64_t n = 1) { value_.store(value() + n, std::memory_order_relaxed); }
  void set(std::uint64_t n) { value_.store(n, std::memory_order_relaxed); }
  std::uint64_t value() const { return value_.load(std::memory_order_relaxed); }

private:
  std::atomic<std::uint64_t> value_{0};
};

/// Counts how many values were up to each of several bounds.
class histogram {
public:
  static constexpr std::size_t bounds_max = 20;

  /// REQUIRES: the bounds ascend, are at most bounds_max, and outlive this object.
  explicit histogram(std::span<const std::int64_t> bounds)
      : bounds_{bounds.first(std::min(bounds.size(), bounds_max))} {}

  /// A value below 0 counts as 0.
  void count(std::int64_t value) {
    const auto at = std::lower_bound(bounds_.begin(), bounds_.end(), value) - bounds_.begin();
    counts_.at(static_cast<std::size_t>(at)).add();
    sum_.add(value > 0 ? static_cast<std::uint64_t>(value) : 0);
  }

  struct reading {
    std::span<const std::int64_t> bounds;
    std::vector<std::uint64_t> counts; ///< up to each bound and above the one before; the last: above all
    std::uint64_t sum = 0;             ///< of the values

    /// REQUIRES: both have the same bounds.
    reading& operator+=(const reading& other) {
      for (std::size_t i = 0; i < counts.size(); ++i)
        counts[i] += other.counts[i];
      sum += other.sum;
      return *this;
    }
  };
  reading read() const {
    reading r{bounds_, {}, sum_.value()};
    for (std::size_t i = 0; i <= bounds_.size(); ++i)
      r.counts.push_back(counts_.at(i).value());
    return r;
  }

private:
  std::span<const std::int64_t> bounds_;
  std::array<counter, bounds_max + 1> counts_;
  counter sum_;
};

/// Figures for each of a few names. The first Max names that occur have their own; all others share one.
template <class Figures, std::size_t Max>
class figures_by_name {
public:
  static constexpr std::string_view others = "other";

  /// For the actor.
  Figures& of(std::string_view name) {
    if (const auto known = places_.find(name); known != places_.end())
      return slots_[known->second].figures;
    const auto n = used_.load(std::memory_order_relaxed);
    if (n == Max)
      return rest_;
    slots_[n].name = name;
    places_.emplace(slots_[n].name, n);
    used_.store(n + 1, std::memory_order_release);
    return slots_[n].figures;
  }

  /// For any thread: `use` gets each name with its figures.
  template <class Use>
  void each(Use use) const {
    const auto n = used_.load(std::memory_order_acquire);
    for (std::size_t i = 0; i < n; ++i)
      use(std::string_view{slots_[i].name}, slots_[i].figures);
    if (n == Max)
      use(others, rest_);
  }

private:
  struct slot {
    std::string name;
    Figures figures;
  };

  std::array<slot, Max> slots_;
  Figures rest_;
  std::unordered_map<std::string_view, std::size_t> places_; ///< of the actor alone; the texts are in the slots
  std::atomic<std::size_t> used_{0};
};

/// An actor that has such figures.
template <class Figures>
class has_figures {
public:
  virtual const Figures& figures() const = 0;

protected:
  ~has_figures() = default;
};

/// In microseconds: for what waits for people, services or other nodes.
inline constexpr std::array<std::int64_t, 16> call_times{
  1'000,   2'000,     5'000,     10'000,    25'000,     50'000,     100'000,    250'000,
  500'000, 1'000'000, 2'500'000, 5'000'000, 10'000'000, 30'000'000, 60'000'000, 300'000'000};
/// In microseconds: for what waits for a disk.
inline constexpr std::array<std::int64_t, 16> disk_times{50,      100,       250,       500,       1'000,   2'500,
                                                         5'000,   10'000,    25'000,    50'000,    100'000, 250'000,
                                                         500'000, 1'000'000, 2'500'000, 10'000'000};
inline constexpr std::array<std::int64_t, 13> batch_sizes{1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1'024, 2'048, 4'096};

} // namespace steadfast::actors
