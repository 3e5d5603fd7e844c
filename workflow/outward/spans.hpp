#pragma once

#include "workflow/definition/definition.hpp"
#include "workflow/outward/trace.hpp"
#include "workflow/time/time.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace steadfast::workflow {

/// What took how long, as a tracing system is told of it.
struct span_told {
  std::uint64_t id = 0;
  std::uint64_t parent = 0; ///< 0: none
  std::string name;
  bool is_call = false; ///< of an agent: an attempt
  instant began_at;
  instant ended_at;
  bool has_failed = false;
  std::string message; ///< why it has
  std::vector<std::pair<std::string, std::string>> attributes;
};

/// Of a task that has ended: the task itself, below it each step that was attempted, below that its attempts, as far as
/// its story has them.
std::vector<span_told> spans_of(const task& t, const definition& d, const trace_context& x);

} // namespace steadfast::workflow
