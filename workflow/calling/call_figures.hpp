#pragma once

#include "workflow/time/time.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

// What became of the calls of an agent in the last minutes, and how long they took.

namespace steadfast::workflow {

enum class call_end : std::uint8_t { succeeded = 1, refused = 2, failed = 3 };

/// A few counters for each minute. A duration is counted in a class whose width is at most a quarter of the duration.
class call_figures {
public:
  static constexpr std::size_t minutes_kept = 5;

  void count(call_end how, span took, instant now);

  struct sum {
    std::uint64_t succeeded = 0;
    std::uint64_t refused = 0;
    std::uint64_t failed = 0;
    span p50{0}; ///< half of the calls took at most this long
    span p99{0};
  };
  /// For the minute that has begun and the kept minutes before it.
  sum of_late(instant now) const;

private:
  static constexpr std::size_t classes = 80; ///< the last one: half an hour and longer
  using minute_number = std::int64_t;
  struct minute {
    minute_number number = 0; ///< since 1970
    std::array<std::uint32_t, 3> ends{};
    std::array<std::uint32_t, classes> took{};
  };

  static minute_number minute_of(instant t);
  static std::size_t class_of(span took);
  static span longest_of(std::size_t its_class);

  std::array<minute, minutes_kept> minutes_{};
};

} // namespace steadfast::workflow
