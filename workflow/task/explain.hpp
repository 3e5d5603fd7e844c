#pragma once

#include "workflow/task/clock_reading.hpp"
#include "workflow/task/task.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace steadfast::workflow {

/// One sentence about where the task is or what happens next. Where it speaks of a moment, the text ends in a word such
/// as "at" or "by", so that the moment is shown after it.
struct explanation {
  std::string text;
  instant at = unset;

  friend bool operator==(const explanation&, const explanation&) = default;
};

/// So many sentences that begin alike are told of a task; the last then says how many more there are.
inline constexpr std::size_t explained_alike_max = 20;

/// Why the task is where it is, and what happens next and when. Never empty.
std::vector<explanation> explain(const task& t, const definition& d, const clock_reading& clock);

/// The step that a person means who names none: the first that failed, waits for another attempt or needs a look.
std::optional<std::size_t> first_in_trouble(const task& t);

} // namespace steadfast::workflow
