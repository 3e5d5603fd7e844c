#pragma once

#include "workflow/task/clock_reading.hpp"
#include "workflow/task/task.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace steadfast::workflow {

/// One sentence about where the task is, or what happens next. If it is about a moment, the text ends in a word such as
/// "at" or "by", and the moment is shown after it.
struct explanation {
  std::string text;
  instant at = unset;

  friend bool operator==(const explanation&, const explanation&) = default;
};

/// The most sentences that begin alike that are given for a task; the last one then says how many more there are.
inline constexpr std::size_t explained_alike_max = 20;

/// Why the task is where it is, and what happens next and when. Never empty.
std::vector<explanation> explain(const task& t, const definition& d, const clock_reading& clock);

/// The step that a person means without naming one: the first that failed, waits for another attempt or needs a look.
std::optional<std::size_t> first_in_trouble(const task& t);

} // namespace steadfast::workflow
