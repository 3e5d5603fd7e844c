#pragma once

#include "actors/agents/agent_function.hpp"
#include "workflow/definition/definition.hpp"
#include "workflow/task/task.hpp"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace steadfast::bench {

/// The measured tasks: sequential steps whose agents do nothing.
struct workload {
  std::uint32_t steps = 5;
  std::uint32_t payload = 200;           ///< bytes
  std::uint32_t result = 100;            ///< bytes, of each step
  std::uint32_t fail_step = 0;           ///< this step fails for good and those before it are undone; 0: none does
  bool ordered_ids = false;              ///< ids ascend, like ids made from the time; otherwise they come in no order
  std::uint32_t complete_by_ms = 30'000; ///< of each attempt
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(workload, steps, payload, result, fail_step, ordered_ids,
                                                complete_by_ms)

inline constexpr const char* workflow_name = "bench";

/// Each step has its own, up to a number; further steps share them.
std::uint32_t agents_of(const workload& w);
std::string agent_name(std::uint32_t number); ///< counted from 1
workflow::definition definition_of(const workload& w);
/// A JSON text of exactly so many bytes, or of the least that is possible.
std::string text_of_size(std::size_t bytes);
/// The task of that number has an id of its own, from which the number can be read.
workflow::submission submission_of(const workload& w, std::uint64_t index);
std::optional<std::uint64_t> index_of(std::string_view id);
/// Of every step; does nothing.
actors::agent_function agent_of(const workload& w);
/// Takes orders and never answers.
actors::agent_function silent_agent();

} // namespace steadfast::bench
