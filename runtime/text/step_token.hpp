#pragma once

#include "actors/agents/agent_options.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

// Tokens of steps that end later: "NUMBER.STEP.ATTEMPT.SECRET". Who has one may end that attempt, and nothing else.

namespace steadfast::runtime {

/// With 256 bits by chance.
actors::issued_token issue_step_token(const std::string& prefix);
/// With this secret.
actors::issued_token step_token_of(const std::string& prefix, const std::string& secret);

struct step_token {
  std::uint64_t task_number = 0;
  std::uint32_t step = 0;
  std::uint32_t attempt = 0;
  std::string digest;
};
/// Nothing: it is none.
std::optional<step_token> read_step_token(std::string_view text);

} // namespace steadfast::runtime
