#pragma once

#include "workflow/time/time.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace steadfast::runtime {

/// The highest of the numbers of tasks that were told as submitted: one for each partition of the store.
class newest_numbers {
public:
  newest_numbers() = default;
  /// By partition. REQUIRES: there is one.
  explicit newest_numbers(std::vector<std::uint64_t> all) : all_{std::move(all)} {}

  bool has(std::uint64_t number) const { return number <= all_[number % all_.size()]; }
  void add(std::uint64_t number) { all_[number % all_.size()] = std::max(all_[number % all_.size()], number); }

  friend std::string to_text(const newest_numbers& n);
  static std::optional<newest_numbers> parse(std::string_view text);

  friend bool operator==(const newest_numbers&, const newest_numbers&) = default;

private:
  std::vector<std::uint64_t> all_{0};
};

/// Up to where a client has seen the events of all tasks: the id of an event. Within one run of the log the place says
/// it exactly. For any other, it says what the client has seen by the store: all that was committed some seconds before
/// `at`.
struct event_position {
  std::uint64_t run = 0; ///< of the log that told it
  std::uint64_t place = 0;
  workflow::instant at;
  newest_numbers submitted;
  std::uint64_t purged = 0; ///< tasks that had left the store by then
};
std::string to_text(const event_position& p);
std::optional<event_position> parse_event_position(std::string_view text);

} // namespace steadfast::runtime
