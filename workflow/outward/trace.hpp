#pragma once

#include "workflow/task/task.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

// Which trace a task belongs to, and which spans it has. All of it follows from what is stored for the task, so that
// any node finds the same ids at any time.

namespace steadfast::workflow {

/// W3C Trace Context, level 1 (https://www.w3.org/TR/trace-context/).
struct trace_context {
  std::array<std::uint64_t, 2> trace{}; ///< its id: the high half, and the low one
  std::uint64_t span = 0;               ///< that of the caller; 0: none, the trace begins here
  bool is_sampled = true;               ///< its spans are wanted

  friend bool operator==(const trace_context&, const trace_context&) = default;
};

/// "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"; of a later version, its first four fields. Absent: it is
/// not valid.
std::optional<trace_context> parse_traceparent(std::string_view text);
std::string traceparent_of(const trace_context& x);
std::string trace_text(const trace_context& x); ///< 32 digits
std::string span_text(std::uint64_t span);      ///< 16 digits

/// The trace of its submission, with `span` as the caller; without one, a trace of its own. Of such traces,
/// `sampled_percent` in a hundred are sampled.
trace_context trace_of(const task& t, std::uint32_t sampled_percent);

std::uint64_t span_of_task(const trace_context& x, std::uint64_t task_number);
std::uint64_t span_of_step(const trace_context& x, std::uint64_t task_number, std::size_t step);
std::uint64_t span_of_attempt(const trace_context& x, std::uint64_t task_number, std::size_t step,
                              std::uint32_t attempt);

/// What the agent passes on to its service: the span of the attempt is the caller.
std::string traceparent_of_attempt(trace_context x, std::uint64_t task_number, std::size_t step, std::uint32_t attempt);

} // namespace steadfast::workflow
