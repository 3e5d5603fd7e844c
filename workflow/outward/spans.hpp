#pragma once

#include "workflow/definition/definition.hpp"
#include "workflow/outward/trace.hpp"
#include "workflow/time/time.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace steadfast::workflow {

/// What took how long, in the form that a tracing system gets.
struct span_told {
  std::uint64_t id = 0;
  std::uint64_t parent = 0; ///< 0: none
  std::string name;
  bool is_call = false; ///< a call of an agent: an attempt
  instant began_at;
  instant ended_at;
  bool has_failed = false;
  std::string message; ///< why it has
  std::vector<std::pair<std::string, std::string>> attributes;
};

/// The spans of a task that has ended: the task itself, below it each step that was attempted, below each step its
/// attempts, as far as they are in its story.
std::vector<span_told> spans_of(const task& t, const definition& d, const trace_context& x);

} // namespace steadfast::workflow
