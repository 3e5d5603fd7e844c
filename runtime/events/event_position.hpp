#pragma once

#include "workflow/time/time.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace steadfast::runtime {

/// Up to where a client has seen the events of all tasks: the id of an event. Within one run of the log the place says
/// it exactly. For any other, it says what the client has seen by the store: all that was committed some seconds before
/// `at`.
struct event_position {
  std::uint64_t run = 0; ///< of the log that told it
  std::uint64_t place = 0;
  workflow::instant at;
  std::uint64_t last_number = 0; ///< tasks up to it were told as submitted
  std::uint64_t purged = 0;      ///< tasks that had left the store by then
};
std::string to_text(const event_position& p);
std::optional<event_position> parse_event_position(std::string_view text);

} // namespace steadfast::runtime
